#include "hive/api/rate_limit.h"

#include <gtest/gtest.h>

namespace norn::hive {
namespace {

constexpr int64_t kSecond = 1'000'000;

TEST(RateLimit, ABurstThenASteadyRate) {
  RateLimit limit(3, 2);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.take("a", 0));
  EXPECT_FALSE(limit.take("a", 0));
  EXPECT_FALSE(limit.has("a", kSecond / 4));
  EXPECT_TRUE(limit.has("a", kSecond / 2));
  EXPECT_TRUE(limit.take("a", kSecond));
  EXPECT_TRUE(limit.take("a", kSecond));
  EXPECT_FALSE(limit.take("a", kSecond));
}

TEST(RateLimit, NobodyPaysForAnother) {
  RateLimit limit(1, 1);
  EXPECT_TRUE(limit.take("a", 0));
  EXPECT_FALSE(limit.take("a", 0));
  EXPECT_TRUE(limit.take("b", 0));
}

TEST(RateLimit, NoMoreThanTheBurstIsSaved) {
  RateLimit limit(2, 1);
  EXPECT_TRUE(limit.take("a", 0));
  EXPECT_TRUE(limit.take("a", 3600 * kSecond));
  EXPECT_TRUE(limit.take("a", 3600 * kSecond));
  EXPECT_FALSE(limit.take("a", 3600 * kSecond));
}

TEST(RateLimit, WhoIsStillLimitedIsNotForgottenForOthers) {
  RateLimit limit(1, 0.001, 10);
  EXPECT_TRUE(limit.take("a", 0));
  for (int i = 0; i < 9; ++i) static_cast<void>(limit.has("b" + std::to_string(i), 0));
  static_cast<void>(limit.has("c", 0));  // the full ones go
  EXPECT_FALSE(limit.take("a", 0));
}

}  // namespace
}  // namespace norn::hive
