#include "schedule/input_log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace norn::schedule {
namespace {

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

std::string record(InputKind kind, const std::string& bytes) {
  const InputRecord header = {.kind = kind, .size = bytes.size()};
  return bytes_of(header) + bytes + std::string(input_bytes(header) - bytes.size(), '\0');
}

// Nothing: it is no file of inputs.
std::vector<std::string> read(const std::string& file) {
  std::vector<std::string> seen;
  const bool is_one = visit_inputs(file.data(), file.size(), [&](const InputRecord& record, const char* bytes) {
    seen.emplace_back(bytes, record.size);
  });
  return is_one ? seen : std::vector<std::string>{"none"};
}

const std::string kBegin = bytes_of(InputsHeader());

TEST(InputLog, RecordsComeBackInTheirOrder) {
  const std::string file = kBegin + record(InputKind::kVariable, "A=B") + record(InputKind::kExit, "") +
                           record(InputKind::kData, std::string(16, 'x'));
  EXPECT_EQ(read(file), (std::vector<std::string>{"A=B", "", std::string(16, 'x')}));
}

TEST(InputLog, EveryBeginningOfOneIsRead) {
  const std::string file = kBegin + record(InputKind::kVariable, "A=B") + record(InputKind::kData, "12345678");
  for (size_t size = 0; size < kBegin.size(); ++size) EXPECT_EQ(read(file.substr(0, size))[0], "none") << size;
  for (size_t size = kBegin.size(); size < file.size(); ++size)
    EXPECT_LE(read(std::string(file.data(), size)).size(), 1u) << size;
  EXPECT_EQ(read(file).size(), 2u);
}

TEST(InputLog, WhatWasNotFinishedDoesNotCount) {
  const InputRecord unfinished = {.kind = InputKind::kFile, .size = InputRecord::kUnfinished};
  EXPECT_EQ(read(kBegin + record(InputKind::kExit, "") + bytes_of(unfinished) + "some bytes of it").size(), 1u);
}

TEST(InputLog, AnotherFileIsNone) {
  EXPECT_EQ(read("")[0], "none");
  EXPECT_EQ(read("something else altogether")[0], "none");
}

TEST(InputLog, UnknownKindsEndIt) {
  EXPECT_EQ(read(kBegin + record(static_cast<InputKind>(99), "?") + record(InputKind::kExit, "")).size(), 0u);
}

}  // namespace
}  // namespace norn::schedule
