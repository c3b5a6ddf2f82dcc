#include "experiment/streams.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "base/text_hash.h"
#include "schedule/capture.h"

namespace norn::experiment {
namespace {

WrittenStream stream(const std::string& name, const std::string& bytes, size_t kept = 1000) {
  return {name, bytes.size(), text_hash({bytes.data(), bytes.size()}), bytes.substr(0, kept)};
}

TEST(Streams, TheSameIsNoDifferenceInWhicheverOrderTheStreamsAre) {
  EXPECT_FALSE(first_difference({}, {}));
  EXPECT_FALSE(first_difference({stream("a", "1\n"), stream("b", "2\n")}, {stream("b", "2\n"), stream("a", "1\n")}));
  EXPECT_FALSE(first_difference({stream("a", "")}, {}));
}

TEST(Streams, TheFirstLineThatDiffersIsShownInBoth) {
  const auto found = first_difference({stream("log", "one\ntwo\nthree\n")}, {stream("log", "one\ntwa\n")});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->stream, "log");
  EXPECT_EQ(found->offset, 6u);
  EXPECT_EQ(found->line, 2u);
  EXPECT_EQ(found->before, "two");
  EXPECT_EQ(found->now, "twa");
  EXPECT_EQ(found->text(), "log, line 2: \"twa\" instead of \"two\"");
}

TEST(Streams, OneThatOnlyOneRunWroteToDiffersFromNothing) {
  const auto more = first_difference({}, {stream("log", "one\n")});
  ASSERT_TRUE(more);
  EXPECT_EQ(more->text(), "log, line 1: \"one\" instead of nothing");
  const auto less = first_difference({stream("log", "one\n")}, {});
  ASSERT_TRUE(less);
  EXPECT_EQ(less->text(), "log, line 1: nothing instead of \"one\"");
}

TEST(Streams, WhatIsNotKeptIsKnownByItsHash) {
  const auto found = first_difference({stream("log", "one\ntwo", 4)}, {stream("log", "one\nsix", 4)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->line, 0u);
  EXPECT_EQ(found->offset, 4u);
  EXPECT_EQ(found->text(), "log, behind byte 4");
}

TEST(Streams, ACaptureThatIsNoneIsEmpty) {
  const std::string path = testing::TempDir() + "/streams_test_capture";
  EXPECT_TRUE(read_capture(path, "/own").empty());
  std::ofstream(path) << "something else";
  EXPECT_TRUE(read_capture(path, "/own").empty());
  ASSERT_TRUE(prepare_capture(path));
  EXPECT_TRUE(read_capture(path, "/own").empty());
  std::filesystem::remove(path);
}

TEST(Streams, OfACaptureTheFilesAreReadThatAreNotOnesOwnAndWhatIsGoneIsKnown) {
  const std::string directory = testing::TempDir() + "/streams_test", path = directory + "/capture";
  std::filesystem::create_directories(directory + "/own");
  const auto header = std::make_unique<schedule::Capture>();
  const std::string names[] = {directory + "/log", directory + "/own/output", directory + "/gone"};
  for (const std::string& name : names)
    name.copy(header->files[header->count++].name, sizeof(header->files[0].name) - 1);
  std::memcpy(header->files[2].bytes, "two", header->files[2].kept = header->files[2].length = 3);
  header->files[2].hash = text_hash("two");
  for (const std::string& name : {names[0], names[1]}) std::ofstream(name) << "one\n";
  const auto write = [&] {
    std::ofstream(path).write(static_cast<const char*>(static_cast<const void*>(header.get())), sizeof(*header));
  };
  write();
  const std::vector<WrittenStream> read = read_capture(path, directory + "/own");
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].name, names[0]);
  EXPECT_FALSE(first_difference(read, {stream(names[0], "one\n"), stream(names[2], "two")}));
  // A header that promises more than there is.
  header->count = ~0u;
  for (schedule::CapturedFile& file : header->files) file.kept = ~uint64_t{0};
  write();
  EXPECT_EQ(read_capture(path, directory + "/own").size(), schedule::Capture::kMost - 1);
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace norn::experiment
