#include "core/order/lockset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "core/testing/test_arena.h"

namespace norn {
namespace {

using Naive = std::map<LockId, LockMode>;

class LocksetTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(locksets_.init(arena_)); }
  LocksetId of(const Naive& naive) {
    LocksetId set = kNoLocks;
    for (auto [lock, mode] : naive) set = locksets_.with(set, lock, mode);
    return set;
  }

  TestingArena memory_;
  Arena arena_;
  Locksets locksets_;
};

TEST_F(LocksetTest, OrderOfTakingDoesNotMatter) {
  const auto ab = locksets_.with(locksets_.with(kNoLocks, 1, LockMode::kExclusive), 2, LockMode::kShared);
  const auto ba = locksets_.with(locksets_.with(kNoLocks, 2, LockMode::kShared), 1, LockMode::kExclusive);
  EXPECT_EQ(ab, ba);
  EXPECT_EQ(locksets_.without(ab, 2), locksets_.with(kNoLocks, 1, LockMode::kExclusive));
  EXPECT_EQ(locksets_.without(locksets_.without(ab, 2), 1), kNoLocks);
  EXPECT_EQ(locksets_.without(ab, 3), ab);
}

TEST_F(LocksetTest, ASetIsMadeAtOnceOfItsLocksInAnyOrder) {
  const Naive naive = {{2, LockMode::kShared}, {5, LockMode::kExclusive}, {9, LockMode::kExclusive}};
  std::vector<std::pair<LockId, LockMode>> locks(naive.begin(), naive.end());
  do {
    uint32_t words[3];
    for (unsigned i = 0; i < 3; ++i) words[i] = Locksets::word_of(locks[i].first, locks[i].second);
    EXPECT_EQ(locksets_.of(words, 3), of(naive));
  } while (std::next_permutation(locks.begin(), locks.end()));
  EXPECT_EQ(locksets_.of(nullptr, 0), kNoLocks);
}

TEST_F(LocksetTest, SharedHoldersOfOneLockDoNotExcludeEachOther) {
  const auto shared = of({{1, LockMode::kShared}});
  const auto exclusive = of({{1, LockMode::kExclusive}});
  EXPECT_FALSE(locksets_.protects(shared, shared));
  EXPECT_TRUE(locksets_.protects(shared, exclusive));
  EXPECT_TRUE(locksets_.protects(exclusive, exclusive));
}

TEST_F(LocksetTest, AWriteCountsOnlyExclusiveLocks) {
  const auto held = of({{1, LockMode::kShared}, {2, LockMode::kExclusive}});
  EXPECT_EQ(locksets_.usable(held, true), of({{2, LockMode::kExclusive}}));
  EXPECT_EQ(locksets_.usable(held, false), held);
}

// Every answer twice: computed, and from the cache.
TEST_F(LocksetTest, RandomSetsAgreeWithMaps) {
  std::mt19937 random(1);
  std::vector<Naive> naive;
  std::vector<LocksetId> sets;
  for (int i = 0; i < 200; ++i) {
    Naive n;
    for (LockId lock = 1; lock <= 5; ++lock) {
      if (random() % 2 == 0) n[lock] = random() % 2 == 0 ? LockMode::kShared : LockMode::kExclusive;
    }
    naive.push_back(n);
    sets.push_back(of(n));
  }
  for (int pass = 0; pass < 2; ++pass) {
    for (size_t a = 0; a < sets.size(); ++a) {
      for (size_t b = 0; b < sets.size(); ++b) {
        bool protects = false;
        bool weaker = true;
        for (auto [lock, mode] : naive[a]) {
          const auto other = naive[b].find(lock);
          const bool both = other != naive[b].end();
          protects |= both && (mode == LockMode::kExclusive || other->second == LockMode::kExclusive);
          weaker &= both && (mode == LockMode::kShared || other->second == LockMode::kExclusive);
        }
        ASSERT_EQ(locksets_.protects(sets[a], sets[b]), protects);
        ASSERT_EQ(locksets_.weaker_or_same(sets[a], sets[b]), weaker);
      }
    }
  }
}

}  // namespace
}  // namespace norn
