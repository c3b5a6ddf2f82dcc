#include "classify/comparison.h"

#include <gtest/gtest.h>

namespace norn::classify {
namespace {

Visible wrote(const std::string& output, int status = 0, const std::string& errors = "") {
  experiment::StagedRun run;
  run.output = output;
  run.errors = errors;
  run.exit = status;
  return visible_in(run);
}

TEST(Comparison, TheFirstDifferenceIsToldAndTheStatusComesLast) {
  EXPECT_FALSE(difference(wrote("a\nb\n"), wrote("a\nb\n")));
  const auto line = difference(wrote("a\nb\n"), wrote("a\nc\n", 1));
  ASSERT_TRUE(line);
  EXPECT_FALSE(line->is_status);
  EXPECT_EQ(line->words, "standard output, line 2: \"c\" instead of \"b\"");
  const auto status = difference(wrote("a\n", 0), wrote("a\n", 3));
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->is_status);
  EXPECT_EQ(status->words, "exit status 3 instead of 0");
  EXPECT_TRUE(difference(wrote("a", 0, "x"), wrote("a", 0, "y")));
}

TEST(Comparison, WhatDiffersAnywayIsLeftOut) {
  Visible one = wrote("pid 17\nsum 4\n"), other = wrote("pid 19\nsum 4\n");
  leave_out_noise(one, wrote("pid 18\nsum 4\n"), other);
  EXPECT_FALSE(difference(one, other));
  Visible before = wrote("pid 17\nsum 4\n"), now = wrote("pid 19\nsum 5\n");
  leave_out_noise(before, wrote("pid 18\nsum 4\n"), now);
  ASSERT_TRUE(difference(before, now));
  EXPECT_EQ(difference(before, now)->words, "standard output, line 2: \"sum 5\" instead of \"sum 4\"");
}

TEST(Comparison, AStreamOfAnotherLengthEachTimeIsNotCompared) {
  Visible one = wrote("a\n", 0, "same"), other = wrote("b\n", 0, "same");
  leave_out_noise(one, wrote("a\nb\n", 0, "same"), other);
  EXPECT_FALSE(difference(one, other));
}

TEST(Comparison, WhatIsTheSameTwiceIsNoNoise) {
  Visible one = wrote("a\n"), other = wrote("b\n");
  leave_out_noise(one, wrote("a\n"), other);
  EXPECT_TRUE(difference(one, other));
}

TEST(Comparison, OrderOfLines) {
  EXPECT_TRUE(differ_in_order_only(wrote("a\nb\n"), wrote("b\na\n")));
  EXPECT_FALSE(differ_in_order_only(wrote("a\nb\n"), wrote("a\nb\n")));
  EXPECT_FALSE(differ_in_order_only(wrote("a\nb\n"), wrote("b\nb\n")));
  EXPECT_FALSE(differ_in_order_only(wrote("a\nb\n"), wrote("b\na\n", 1)));
  EXPECT_FALSE(differ_in_order_only(wrote("a\n", 0, "a\nb\n"), wrote("b\n", 0, "b\na\n")));
}

}  // namespace
}  // namespace norn::classify
