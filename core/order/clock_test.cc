#include "core/order/clock.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/testing/test_arena.h"

namespace norn {
namespace {

class ClockTest : public testing::Test {
 protected:
  TestingArena memory_;
  Arena arena_;
};

TEST_F(ClockTest, KnowsNothingAtFirst) {
  VectorClock clock;
  EXPECT_EQ(clock.get(0), 0u);
  EXPECT_EQ(clock.get(65535), 0u);
  EXPECT_TRUE(clock.empty());
}

TEST_F(ClockTest, RaiseNeverLowers) {
  VectorClock clock;
  ASSERT_TRUE(clock.raise(arena_, 7, 5));
  ASSERT_TRUE(clock.raise(arena_, 7, 3));
  EXPECT_EQ(clock.get(7), 5u);
}

TEST_F(ClockTest, ACopyIsNotChangedByItsOrigin) {
  VectorClock a;
  VectorClock b;
  ASSERT_TRUE(a.raise(arena_, 1, 1));
  ASSERT_TRUE(b.assign(arena_, a));
  ASSERT_TRUE(a.raise(arena_, 1, 2));
  EXPECT_EQ(b.get(1), 1u);
  EXPECT_EQ(a.get(1), 2u);
}

TEST_F(ClockTest, ThreadsNeverHeardOfCostNothing) {
  VectorClock clock;
  ASSERT_TRUE(clock.raise(arena_, 60000, 1));
  EXPECT_EQ(clock.chunk_count(), 1u);
}

TEST_F(ClockTest, MemoryIsGivenBack) {
  const size_t before = arena_.in_use();
  VectorClock a;
  VectorClock b;
  for (unsigned slot = 0; slot < 5000; slot += 3) ASSERT_TRUE(a.raise(arena_, static_cast<Slot>(slot), slot + 1));
  ASSERT_TRUE(b.assign(arena_, a));
  ASSERT_TRUE(b.raise(arena_, 17, 100000));
  a.clear(arena_);
  b.clear(arena_);
  EXPECT_EQ(arena_.in_use(), before);
}

// Against maps from slot to time.
TEST_F(ClockTest, RandomOperationsAgreeWithMaps) {
  std::mt19937 random(1);
  constexpr unsigned kClocks = 6;
  VectorClock clocks[kClocks];
  std::map<unsigned, ClockValue> maps[kClocks];
  for (int step = 0; step < 20000; ++step) {
    const unsigned a = random() % kClocks;
    const unsigned b = random() % kClocks;
    switch (random() % 8) {
      case 0:
        ASSERT_TRUE(clocks[a].assign(arena_, clocks[b]));
        maps[a] = maps[b];
        break;
      case 1:
      case 2:
        ASSERT_TRUE(clocks[a].join(arena_, clocks[b]));
        for (auto [slot, time] : maps[b]) maps[a][slot] = std::max(maps[a][slot], time);
        break;
      case 3:
        if (random() % 16 != 0) break;
        clocks[a].clear(arena_);
        maps[a].clear();
        break;
      default: {
        const auto slot = static_cast<Slot>(random() % 2 == 0 ? random() % 40 : random() % 5000);
        const ClockValue time = random() % 1000 + 1;
        ASSERT_TRUE(clocks[a].raise(arena_, slot, time));
        maps[a][slot] = std::max(maps[a][slot], time);
      }
    }
    if (step % 50 != 0) continue;
    for (unsigned i = 0; i < kClocks; ++i) {
      ASSERT_TRUE(clocks[i].check_invariants());
      for (auto [slot, time] : maps[i]) ASSERT_EQ(clocks[i].get(static_cast<Slot>(slot)), time);
      for (unsigned slot = 0; slot < 64; ++slot) {
        ASSERT_EQ(clocks[i].get(static_cast<Slot>(slot)), maps[i].count(slot) != 0 ? maps[i][slot] : 0);
      }
    }
  }
}

TEST(ClockNearTest, SaysTheSameOfTheFirstSlots) {
  const TestingArena memory;
  Arena arena;
  VectorClock a, b, joined, assigned;
  ASSERT_TRUE(a.raise(arena, 0, 3) && a.raise(arena, 7, 5) && b.raise(arena, 1, 2) && b.raise(arena, 7, 4));
  EXPECT_TRUE(a.is_near());
  EXPECT_TRUE(VectorClock::is_near(Slot{7}));
  EXPECT_FALSE(VectorClock::is_near(Slot{8}));
  joined.join_near(a);
  EXPECT_FALSE(joined.includes_near(b));
  joined.join_near(b);
  EXPECT_TRUE(joined.includes(a) && joined.includes(b) && joined.includes_near(b));
  EXPECT_EQ(joined.get(7), 5u);
  assigned.assign_near(b, 7, 3);
  EXPECT_EQ(assigned.get(7), 4u);
  assigned.assign_near(b, 7, 9);
  EXPECT_EQ(assigned.get(7), 9u);
  EXPECT_EQ(assigned.get(1), 2u);
  EXPECT_EQ(assigned.get(0), 0u);
  ASSERT_TRUE(a.raise(arena, 8, 1));
  EXPECT_FALSE(a.is_near());
  a.clear(arena);
  EXPECT_TRUE(a.is_near());
}

TEST(ClockMemoryTest, WithoutMemoryAClockLacksButIsValid) {
  const TestingArena memory(1 << 20);
  Arena arena;
  VectorClock clock;
  bool complete = true;
  for (unsigned slot = 0; slot < 65536 && complete; slot += 16) {
    for (int copies = 0; copies < 64; ++copies) {
      VectorClock copy;
      complete &= copy.assign(arena, clock);
      complete &= copy.raise(arena, static_cast<Slot>(slot), 1);  // never cleared: uses the memory up
    }
    complete &= clock.raise(arena, static_cast<Slot>(slot), 1);
  }
  EXPECT_FALSE(complete);
  EXPECT_TRUE(clock.check_invariants());
}

}  // namespace
}  // namespace norn
