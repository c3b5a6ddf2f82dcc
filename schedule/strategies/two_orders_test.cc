// Both orders of a pair, from the same state.
#include "schedule/strategies/two_orders.h"

#include <gtest/gtest.h>

#include <memory>

#include "schedule/strategies.h"
#include "schedule/testing/model_threads.h"

namespace norn::schedule {
namespace {

constexpr uint64_t kX = 8, kL = 16, kY = 24;
constexpr uint64_t kSeeds = 60;

struct Ordered {
  uint32_t what = 0;
  uint32_t arrival = 0;
  ModelRun run;
};

Ordered run_ordered(std::vector<ModelThread> threads, Order order, uint64_t seed) {
  Ordered ordered;
  const auto any = std::make_unique<AnyStrategy>();
  Strategy& before = any->make({.kind = StrategyKind::kRaceDirected, .seed = seed});
  Enforced enforced;
  const auto both = std::make_unique<TwoOrders>(before, order, seed, enforced);
  ordered.run = run_model(std::move(threads), *both);
  ordered.what = enforced.what;
  ordered.arrival = enforced.arrival;
  return ordered;
}

// Both append their number to x when they access it, and then to y under nothing.
std::vector<ModelThread> writers(std::string& x, std::string& y) {
  const auto thread = [&](uint8_t site, char name) {
    return ModelThread{{{Op::kAcquire, kL, true},
                        {Op::kRelease, kL, true},
                        {Op::kAccess, kX, true, site, [&x, name] { return x += name, -1; }, site},
                        {Op::kAcquire, kY, true},
                        {Op::kRelease, kY, true, 0, [&y, name] { return y += name, -1; }}}};
  };
  return {thread(kFirstSite, 'a'), thread(kSecondSite, 'b')};
}

TEST(TwoOrders, TheFlippedOrderIsTheOtherOneAfterTheSamePrefix) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    std::string x[2], y[2];
    const Ordered given = run_ordered(writers(x[0], y[0]), {.meeting = 1}, seed);
    const Ordered flipped = run_ordered(writers(x[1], y[1]), {.meeting = 1, .flipped = true}, seed);
    EXPECT_EQ(x[0] + x[1], x[0] == "ab" ? "abba" : "baab") << seed;
    EXPECT_EQ(given.what & (Enforced::kMet | Enforced::kBothDone), Enforced::kMet | Enforced::kBothDone);
    EXPECT_EQ(flipped.what & (Enforced::kMet | Enforced::kBothDone), Enforced::kMet | Enforced::kBothDone);
    EXPECT_EQ((given.what & Enforced::kFirstAtSecondSite) != 0, x[0] == "ba");
    EXPECT_EQ(given.run.schedule.substr(0, 4), flipped.run.schedule.substr(0, 4));
  }
}

TEST(TwoOrders, TheLaterScheduleIsTheSameForBoth) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    for (uint32_t later = 0; later < 8; ++later) {
      std::string x[2], y[2];
      run_ordered(writers(x[0], y[0]), {.meeting = 1, .later = later}, seed);
      run_ordered(writers(x[1], y[1]), {.meeting = 1, .flipped = true, .later = later}, seed);
      EXPECT_EQ(y[0], y[1]) << seed;
      // Who would have gone first goes far, or the other.
      if (later == Order::kGivenFar) EXPECT_EQ(y[0], x[0]);
      if (later == Order::kOtherFar) EXPECT_EQ(y[0], x[1]);
    }
  }
}

TEST(TwoOrders, WithoutThatManyMeetingsTheStrategyGoesOnAsItIs) {
  std::string x, y;
  const Ordered run = run_ordered(writers(x, y), {.meeting = 2}, 1);
  EXPECT_EQ(run.what, 0u);
  EXPECT_EQ(x.size(), 2u);
}

// Both read x, and write one more.
std::vector<ModelThread> counters(int& x, int (&seen)[2]) {
  const auto thread = [&](uint8_t site, size_t i) {
    return ModelThread{{{Op::kAcquire, kL, true},
                        {Op::kRelease, kL, true},
                        {Op::kAccess, kX, false, 0, [&x, &seen, i] { return seen[i] = x, -1; }},
                        {Op::kAccess, kX, true, site, [&x, &seen, i] { return x = seen[i] + 1, -1; }}}};
  };
  return {thread(kFirstSite, 0), thread(kSecondSite, 1)};
}

// Where both stand before their writes, both have read: an update is lost in either order. Whoever came first may write
// before the other one reads.
TEST(TwoOrders, TheFirstOneMayGoBeforeTheSecondComes) {
  int early_is_2 = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    int x = 0, seen[2] = {};
    const Ordered given = run_ordered(counters(x, seen), {.meeting = 1}, seed);
    EXPECT_EQ(x, 1);
    x = 0;
    const bool other_first = (given.what & Enforced::kGivenCameFirst) != 0;
    run_ordered(counters(x, seen), {.meeting = 1, .flipped = other_first}, seed);
    EXPECT_EQ(x, 1);
    x = 0;
    const Ordered early = run_ordered(counters(x, seen), {.meeting = 1, .from = given.arrival}, seed);
    EXPECT_EQ(early.what & (Enforced::kEarly | Enforced::kBothDone), Enforced::kEarly | Enforced::kBothDone) << seed;
    early_is_2 += x == 2 ? 1 : 0;
    // Nothing but the one access comes earlier.
    std::string moved = early.run.schedule;
    moved.erase(given.arrival - 1, 1);
    EXPECT_EQ(given.run.schedule.substr(0, 6), moved.substr(0, 6)) << seed;
  }
  EXPECT_GT(early_is_2, 0);
}

// The second one writes x; the first one reads it, once or until it is written.
std::vector<ModelThread> reader_and_writer(int& x, bool in_loop) {
  ModelThread reader{{{Op::kAccess, kX, false, kFirstSite, [&x, in_loop] { return in_loop && x == 0 ? 1 : 2; }, 7},
                      {Op::kYield, 0, false, 0, [] { return 0; }},
                      {Op::kAcquire, kL, true},
                      {Op::kRelease, kL, true}},
                     10};
  ModelThread writer{{{Op::kAccess, kX, true, kSecondSite, [&x] { return x = 1, -1; }, 8}}};
  return {reader, writer};
}

TEST(TwoOrders, AReadInALoopWaitsForTheWriteThatIsHeld) {
  for (const bool in_loop : {false, true}) {
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      int x = 0;
      const Ordered given = run_ordered(reader_and_writer(x, in_loop), {.meeting = 1}, seed);
      const bool flipped = (given.what & Enforced::kFirstReads) == 0;
      EXPECT_EQ(flipped, (given.what & Enforced::kSecondReads) != 0);
      x = 0;
      const Ordered held = run_ordered(reader_and_writer(x, in_loop), {1, flipped, true}, seed);
      EXPECT_NE(held.what & Enforced::kFirstReads, 0u);
      EXPECT_EQ((held.what & Enforced::kWaits) != 0, in_loop) << seed;
      EXPECT_NE(held.what & Enforced::kBothDone, 0u);
      EXPECT_FALSE(held.run.deadlock);
    }
  }
}

TEST(TwoOrders, NumbersHaveAllOfIt) {
  for (const uint64_t meeting : {uint64_t{1}, uint64_t{2}, Order::kMostMeetings})
    for (const uint32_t later : {0u, 1u, 2u, static_cast<uint32_t>(Order::kMostLater)})
      for (const bool flag : {false, true}) {
        const Order order = Order::of(Order{static_cast<uint32_t>(meeting), flag, !flag, later, later + 9}.number());
        EXPECT_EQ(order.from, later + 9);
        EXPECT_EQ(order.meeting, meeting);
        EXPECT_EQ(order.later, later);
        EXPECT_EQ(order.flipped, flag);
        EXPECT_EQ(order.holds, !flag);
      }
}

}  // namespace
}  // namespace norn::schedule
