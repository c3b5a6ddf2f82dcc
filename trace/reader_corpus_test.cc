// What libFuzzer made and found (tools/fuzz-reader), once more: each file is read without harm, as a trace, as one that
// is cut, or refused in one line.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "trace/reader_fuzz.h"

namespace norn::trace {
namespace {

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

ReadOutcome read_text(const std::string& bytes) {
  return read_anything(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

TEST(ReaderCorpus, IsReadWithoutHarm) {
  size_t files = 0;
  size_t whole = 0;
  for (const auto& entry : std::filesystem::directory_iterator(NORN_TRACE_CORPUS)) {
    const std::string bytes = contents_of(entry.path());
    const ReadOutcome outcome = read_text(bytes);
    EXPECT_TRUE(outcome.is_trace || !outcome.error.empty()) << entry.path();
    EXPECT_EQ((outcome.error + outcome.cut).find('\n'), std::string::npos) << entry.path();
    (void)read_any_text(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    ++files;
    whole += outcome.is_trace && outcome.cut.empty() && outcome.items > 0 ? 1 : 0;
  }
  EXPECT_GT(files, 2U);
  EXPECT_GT(whole, 1U);
}

// A byte changed here and there, and every beginning: none of it goes wrong, and what is missing is said.
TEST(ReaderCorpus, BeginningsAreCutOrRefused) {
  const std::string bytes = contents_of(std::filesystem::path(NORN_TRACE_CORPUS) / "threads-plain.trace");
  const uint64_t items = read_text(bytes).items;
  ASSERT_GT(items, 10U);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const ReadOutcome outcome = read_text(bytes.substr(0, size));
    EXPECT_FALSE(outcome.is_trace && outcome.cut.empty()) << size;
    EXPECT_LE(outcome.items, items);
  }
}

}  // namespace
}  // namespace norn::trace
