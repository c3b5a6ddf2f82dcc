#include "report/words/access_values.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <string>

#include "base/string_sink.h"
#include "report/race.h"

namespace norn::report {
namespace {

std::string value(uint64_t bits, ValueType type, uint64_t size) {
  return collect([&](Sink sink) { put_value(bits, type, size, sink); });
}
std::string of(double number) { return value(std::bit_cast<uint64_t>(number), ValueType::kFloat, 8); }
std::string of(float number) { return value(std::bit_cast<uint32_t>(number), ValueType::kFloat, 4); }
std::string values(const Access& access) {
  return collect([&](Sink sink) { put_values(access, sink); });
}

TEST(AccessValues, AreShownAsTheirTypeHasThem) {
  EXPECT_EQ(value(0xff, ValueType::kSigned, 1), "-1");
  EXPECT_EQ(value(0xff, ValueType::kUnsigned, 1), "255");
  EXPECT_EQ(value(0xfffffffe, ValueType::kSigned, 4), "-2");
  EXPECT_EQ(value(0x8000000000000000, ValueType::kSigned, 8), "-9223372036854775808");
  EXPECT_EQ(value(~0ull, ValueType::kUnsigned, 8), "18446744073709551615");
  EXPECT_EQ(value(0, ValueType::kBool, 1), "false");
  EXPECT_EQ(value(1, ValueType::kBool, 1), "true");
  EXPECT_EQ(value(0x2a, ValueType::kBool, 1), "42");  // no bool at all
  EXPECT_EQ(value('a', ValueType::kChar, 1), "'a'");
  EXPECT_EQ(value('\n', ValueType::kChar, 1), "'\\n'");
  EXPECT_EQ(value('\'', ValueType::kChar, 1), "'\\''");
  EXPECT_EQ(value(0x1b, ValueType::kChar, 1), "'\\x1b'");  // never a control character
  EXPECT_EQ(value(0xe9, ValueType::kChar, 1), "'\\xe9'");
  EXPECT_EQ(value(0, ValueType::kPointer, 8), "null");
  EXPECT_EQ(value(0x7ffd1c, ValueType::kPointer, 8), "0x7ffd1c");
  EXPECT_EQ(value(42, ValueType::kUnknown, 4), "42");
  EXPECT_EQ(value(0xdeadbeef, ValueType::kUnknown, 4), "0xdeadbeef");
}

TEST(AccessValues, FloatsAreAsPrintfHasThem) {
  EXPECT_EQ(of(2.5), "2.5");
  EXPECT_EQ(of(-0.0), "-0");
  EXPECT_EQ(of(1e300 * 1e10), "inf");
  EXPECT_EQ(of(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(of(0.1F), "0.1");
  EXPECT_EQ(value(std::bit_cast<uint64_t>(2.5), ValueType::kFloat, 2), "0x4004000000000000");  // no float of ours
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> digits(1, 10);
  std::uniform_int_distribution<int> exponents(-30, 30);
  char expected[64];
  for (int i = 0; i < 20'000; ++i) {
    const double number = digits(random) * std::pow(10.0, exponents(random));
    std::snprintf(expected, sizeof(expected), "%g", number);
    EXPECT_EQ(of(number), expected);
  }
  for (const double number :
       {1e-4, 1e-5, 99999.95, 999999.5, 1e6, 123456.0, 100000.0, 5e-324, 1.7976931348623157e308}) {
    std::snprintf(expected, sizeof(expected), "%g", number);
    EXPECT_EQ(of(number), expected);
  }
}

TEST(AccessValues, OnlyWhatIsKnownIsSaid) {
  Access access = {
      .op = Op::kWrite,
      .size = 4,
      .values = {.has_value = true, .has_old_value = true, .type = ValueType::kSigned, .value = 4, .old_value = 3}};
  EXPECT_EQ(values(access), "3 → 4");
  access.values.has_old_value = false;
  EXPECT_EQ(values(access), "→ 4");
  access.values.has_value = false;
  EXPECT_EQ(values(access), "");
  access.values.has_old_value = true;
  EXPECT_EQ(values(access), "was 3");
  access.op = Op::kRead;
  EXPECT_EQ(values(access), "value 3");
}

TEST(AccessValues, WhatAScheduleShowedIsToldInstead) {
  Access access = {.op = Op::kWrite,
                   .size = 2,
                   .values = {.has_old_value = true, .type = ValueType::kSigned, .old_value = 3},
                   .was_met = true};
  EXPECT_FALSE(has_values(access));
  EXPECT_EQ(values(access), "");
  access.met = {.has_value = true, .has_old_value = true, .type = ValueType::kSigned, .value = 0xffff, .old_value = 9};
  EXPECT_EQ(values(access), "9 → -1");
}

}  // namespace
}  // namespace norn::report
