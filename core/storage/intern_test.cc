#include "core/storage/intern.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

#include "core/testing/test_arena.h"

namespace norn {
namespace {

class InternTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(table_.init(arena_, 8, 31)); }
  InternTable::Id intern(std::vector<uint32_t> words) {
    return table_.intern(words.data(), static_cast<unsigned>(words.size()));
  }
  void collect(std::vector<InternTable::Id>& live) {
    ASSERT_TRUE(table_.begin_collection(++age_));
    for (InternTable::Id& id : live) id = table_.keep(id, [](uint32_t*, unsigned) {});
    table_.end_collection();
  }

  TestingArena memory_;
  Arena arena_;
  InternTable table_;
  uint16_t age_ = 0;
};

TEST_F(InternTest, EqualSequencesHaveEqualIds) {
  EXPECT_EQ(intern({1, 2, 3}), intern({1, 2, 3}));
  EXPECT_NE(intern({1, 2, 3}), intern({1, 2}));
  EXPECT_NE(intern({1, 2, 3}), intern({3, 2, 1}));
  EXPECT_EQ(intern({}), InternTable::kEmpty);
}

TEST_F(InternTest, WordsComeBack) {
  const auto id = intern({7, 8, 9});
  ASSERT_EQ(table_.count(id), 3u);
  EXPECT_EQ(table_.words(id)[2], 9u);
}

TEST_F(InternTest, TooLongASequenceIsRefused) {
  EXPECT_EQ(intern(std::vector<uint32_t>(InternTable::kMaxWords + 1, 1)), InternTable::kEmpty);
}

TEST_F(InternTest, ACollectionKeepsWhatLivesUnderIdsThatNeverMeantAnythingElse) {
  std::vector<InternTable::Id> live;
  for (uint32_t i = 0; i < 100; ++i) {
    const auto id = intern({i, i * i});
    if (i % 3 == 0) live.push_back(id);
  }
  const std::vector<InternTable::Id> old = live;
  collect(live);
  EXPECT_EQ(table_.sequences(), live.size());
  EXPECT_TRUE(table_.check_invariants());
  for (size_t i = 0; i < live.size(); ++i) {
    EXPECT_EQ(table_.words(live[i])[0], i * 3);
    for (const auto other : old) EXPECT_NE(live[i], other);
  }
  EXPECT_EQ(intern({3, 9}), live[1]);
}

TEST_F(InternTest, ACollectionGrowsTheTableThatWasFull) {
  std::vector<InternTable::Id> live;
  for (uint32_t round = 0; round < 12; ++round) {
    for (uint32_t i = 0; !table_.wants_collection() && i < 100000; ++i) live.push_back(intern({round, i}));
    ASSERT_FALSE(table_.failed());
    collect(live);
  }
  EXPECT_GT(table_.sequences(), 100000u);
  EXPECT_TRUE(table_.check_invariants());
}

TEST_F(InternTest, AFullTableSaysSo) {
  uint32_t i = 0;
  while (intern({i}) != InternTable::kEmpty) ++i;
  EXPECT_EQ(i, 256u);
  EXPECT_TRUE(table_.failed());
  table_.reset();
  EXPECT_FALSE(table_.failed());
  EXPECT_NE(intern({1}), InternTable::kEmpty);
}

TEST_F(InternTest, ThreadsThatInternTheSameGetTheSame) {
  InternTable table;
  ASSERT_TRUE(table.init(arena_, 16, 31));
  constexpr unsigned kThreads = 4;
  constexpr uint32_t kSequences = 20000;
  std::vector<std::vector<InternTable::Id>> ids(kThreads, std::vector<InternTable::Id>(kSequences));
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint32_t i = 0; i < kSequences; ++i) {
        const uint32_t words[] = {i, i ^ 0x5555, 3};
        ids[t][i] = table.intern(words, 3);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (unsigned t = 1; t < kThreads; ++t) EXPECT_EQ(ids[t], ids[0]);
  EXPECT_EQ(table.sequences(), kSequences);
  EXPECT_TRUE(table.check_invariants());
}

}  // namespace
}  // namespace norn
