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

struct Expected {
  bool protects = false;
  bool weaker = true;
};
Expected expected_of(const Naive& a, const Naive& b) {
  Expected expected;
  for (auto [lock, mode] : a) {
    const auto other = b.find(lock);
    const bool both = other != b.end();
    expected.protects |= both && (mode == LockMode::kExclusive || other->second == LockMode::kExclusive);
    expected.weaker &= both && (mode == LockMode::kShared || other->second == LockMode::kExclusive);
  }
  return expected;
}

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

// More locks than a chunk holds, taken and given up in any order: the same sets, with the same answers.
TEST_F(LocksetTest, SetsOfManyLocksAgreeWithMaps) {
  std::mt19937 random(2);
  std::vector<std::pair<Naive, LocksetId>> seen = {{{}, kNoLocks}};
  for (int i = 0; i < 15; ++i) {
    auto [naive, set] = seen[random() % seen.size()];
    for (int step = 0; step < 40; ++step) {
      const LockId lock = 1 + random() % 150;
      const LockMode mode = random() % 4 == 0 ? LockMode::kShared : LockMode::kExclusive;
      if (random() % 5 == 0) {
        naive.erase(lock);
        set = locksets_.without(set, lock);
      } else {
        naive[lock] = mode;
        set = locksets_.with(set, lock, mode);
      }
    }
    std::vector<uint32_t> words;
    std::vector<uint32_t> writes;
    for (auto [lock, mode] : naive) {
      words.push_back(Locksets::word_of(lock, mode));
      if (mode == LockMode::kExclusive) writes.push_back(words.back());
    }
    std::shuffle(words.begin(), words.end(), random);
    ASSERT_EQ(locksets_.of(words.data(), static_cast<unsigned>(words.size())), set);
    ASSERT_EQ(locksets_.of(writes.data(), static_cast<unsigned>(writes.size())), locksets_.usable(set, true));
    ASSERT_EQ(locksets_.size(set), naive.size());
    unsigned at = 0;
    for (auto [lock, mode] : naive) {
      ASSERT_EQ(locksets_.lock_at(set, at), lock);
      ASSERT_EQ(locksets_.mode_at(set, at++), mode);
    }
    seen.emplace_back(naive, set);
  }
  ASSERT_FALSE(locksets_.table().failed());
  for (const auto& [a, set_a] : seen) {
    for (const auto& [b, set_b] : seen) {
      const Expected expected = expected_of(a, b);
      ASSERT_EQ(locksets_.protects(set_a, set_b), expected.protects);
      ASSERT_EQ(locksets_.weaker_or_same(set_a, set_b), expected.weaker);
    }
  }
}

// A thousand locks taken one after the other: the sets share what they begin with.
TEST_F(LocksetTest, ManyNestedLocksTakeLittleMemory) {
  LocksetId set = kNoLocks;
  for (LockId lock = 1; lock <= Locksets::kMostLocks; ++lock) set = locksets_.with(set, lock, LockMode::kExclusive);
  EXPECT_EQ(locksets_.size(set), Locksets::kMostLocks);
  EXPECT_LT(locksets_.table().bytes(), Locksets::kMostLocks * 160);
}

TEST_F(LocksetTest, ACollectionKeepsWhatSetsBeginWith) {
  Naive naive;
  for (LockId lock = 1; lock <= 100; ++lock) naive[lock] = LockMode::kExclusive;
  LocksetId set = of(naive);
  LocksetId shorter = locksets_.without(set, 100);
  ASSERT_TRUE(locksets_.table().begin_collection(0));
  set = locksets_.keep(set);
  shorter = locksets_.keep(shorter);
  locksets_.table().end_collection();
  locksets_.forget_answers();
  EXPECT_TRUE(locksets_.table().check_invariants());
  EXPECT_EQ(set, of(naive));
  EXPECT_EQ(locksets_.with(shorter, 100, LockMode::kExclusive), set);
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
        const auto [protects, weaker] = expected_of(naive[a], naive[b]);
        ASSERT_EQ(locksets_.protects(sets[a], sets[b]), protects);
        ASSERT_EQ(locksets_.weaker_or_same(sets[a], sets[b]), weaker);
      }
    }
  }
}

}  // namespace
}  // namespace norn
