// What happens when histories reach their bound: it holds, collections stay rare, what goes is old, and no order is
// lost by it.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/detector.h"
#include "core/testing/test_arena.h"
#include "core/testing/test_size.h"

namespace norn {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr Address kLocks = 0x1000;
constexpr Address kFlag = 0x8000;
constexpr Address kData = 0x9000;
constexpr Address kMuch = 0x10000000;

class HistoryBoundTest : public testing::Test {
 protected:
  static constexpr unsigned kThreads = 8;

  void start(EngineKind engine, size_t memory_limit) {
    detector_ = std::make_unique<Detector>();
    Options options;
    options.engine = engine;
    options.memory_limit = memory_limit;
    options.log2_histories = 14;
    Listener listener;
    listener.context = this;
    listener.pair = [](void* c, const RacingPair& pair) { static_cast<HistoryBoundTest*>(c)->pairs_.push_back(pair); };
    listener.note = [](void* c, const char* text) { static_cast<HistoryBoundTest*>(c)->notes_.emplace_back(text); };
    ASSERT_TRUE(detector_->init(options, listener));
    main_ = detector_->add_root(0);
    for (unsigned i = 0; i < kThreads; ++i) threads_[i] = detector_->fork(*main_, i + 1);
    pairs_.clear();
    notes_.clear();
    next_ = kMuch;
    most_ = 0;
  }

  void read_under(Thread& thread, Address lock, Address at, uint64_t size) {
    detector_->lock_acquire(thread, kLocks + lock * 64, LockMode::kExclusive, 1);
    detector_->read(thread, at, size, 2);
    detector_->lock_release(thread, kLocks + lock * 64, LockMode::kExclusive);
  }

  // Granules each of which has so many reads.
  void fill_with_reads(unsigned granules, unsigned reads) {
    constexpr unsigned kRun = 64;
    for (unsigned i = 0; i < granules; i += kRun, next_ += kRun * 8) {
      for (unsigned k = 0; k < reads; ++k) read_under(*threads_[k % 2], k / 2, next_, kRun * 8);
      note_most();
    }
  }

  // Granules whose bytes were written last by so many threads each, of which at least one write is in the list.
  void fill_with_writes(unsigned granules, unsigned writers) {
    for (unsigned i = 0; i < granules; ++i, next_ += 8) {
      for (unsigned k = 0; k < writers; ++k) detector_->write(*threads_[k], next_ + k, 1, 3);
      note_most();
    }
  }

  void note_most() {
    if (detector_->history_bytes() > most_) most_ = detector_->history_bytes();
  }

  TestingArena memory_;
  std::unique_ptr<Detector> detector_;
  Thread* main_ = nullptr;
  Thread* threads_[kThreads] = {};
  std::vector<RacingPair> pairs_;
  std::vector<std::string> notes_;
  Address next_ = kMuch;
  size_t most_ = 0;
};

// Lists of one size after those of another: areas go from class to class.
TEST_F(HistoryBoundTest, ItHoldsWhateverSizesComeInTurn) {
  for (const EngineKind engine : {EngineKind::kHybrid, EngineKind::kHb}) {
    start(engine, 32 * kMiB);
    for (int round = 0; round < (is_full_size() ? 3 : 1); ++round) {
      for (const unsigned reads : {40u, 8u, 20u, 5u, 80u}) fill_with_reads(200000 / reads, reads);
      ASSERT_TRUE(detector_->check_invariants());
    }
    for (unsigned writers = 4; writers <= kThreads; ++writers) fill_with_writes(60000, writers);
    EXPECT_TRUE(detector_->check_invariants());
    // 16 MiB, an area for each thread's size class that was just begun, and what is made while it is emptied.
    EXPECT_LE(most_, 32 * kMiB);
    const Statistics statistics = detector_->statistics();
    EXPECT_GT(statistics.histories_forgotten, 0u);
    EXPECT_LT(statistics.full_collections, 120u);
    ASSERT_FALSE(notes_.empty());
    EXPECT_NE(notes_[0].find("oldest history"), std::string::npos);
  }
}

TEST_F(HistoryBoundTest, TheStateMachinesHaveItToo) {
  for (const EngineKind engine : {EngineKind::kMsmShort, EngineKind::kMsmLong}) {
    start(engine, 32 * kMiB);
    // All different: who wrote, when, and where.
    StackId where = 1;
    for (unsigned i = 0; i < 600000; ++i, next_ += 8) {
      detector_->write(*threads_[i % kThreads], next_, 4, ++where);
      detector_->read(*threads_[i % kThreads], next_ + 4, 2, ++where);
      note_most();
    }
    EXPECT_TRUE(detector_->check_invariants());
    EXPECT_LE(most_, 32 * kMiB);
    EXPECT_LT(detector_->statistics().full_collections, 60u);
    pairs_.clear();
    detector_->write(*threads_[1], next_ - 8 * kThreads, 4, 1);
    EXPECT_FALSE(pairs_.empty());
  }
}

// Without a limit there may be as much as the shadow takes, or 256 MiB.
TEST_F(HistoryBoundTest, ByDefaultItIsAsMuchAsTheShadow) {
  for (const Address data : {Address{0}, 100 * kMiB}) {
    if (data != 0 && !is_full_size()) break;
    start(EngineKind::kHybrid, 0);
    for (Address i = 0; i < data; i += 0x4000) detector_->write(*main_, kMuch * 16 + i, 8, 1);
    fill_with_reads(78000, 120);
    EXPECT_EQ(detector_->shadow_bytes() > 400 * kMiB, data != 0);
    EXPECT_EQ(most_ <= 300 * kMiB, data == 0) << most_;
    EXPECT_EQ(notes_.empty(), data != 0);
    EXPECT_LT(detector_->statistics().full_collections, 40u);
  }
}

TEST_F(HistoryBoundTest, WhatIsNewIsFoundAndWhatIsOldIsForgotten) {
  start(EngineKind::kHybrid, 32 * kMiB);
  const Address first = next_;
  fill_with_reads(60000, 20);
  ASSERT_GT(detector_->statistics().histories_forgotten, 0u);
  auto races_at = [&](Address at) {
    pairs_.clear();
    detector_->write(*main_, at, 8, 9);
    return pairs_.size();
  };
  EXPECT_GE(races_at(next_ - 8), 2u);
  EXPECT_GE(races_at(next_ - 800), 2u);
  EXPECT_LT(detector_->accesses_at(first), detector_->accesses_at(next_ - 80));
}

// The program's data is renewed again and again: little lives, and nothing is forgotten.
TEST_F(HistoryBoundTest, WhereLittleLivesNothingIsForgotten) {
  start(EngineKind::kHybrid, 32 * kMiB);
  for (int round = 0; round < 30; ++round) {
    next_ = kMuch;
    fill_with_reads(2000, 20 + static_cast<unsigned>(round));
    detector_->allocate(*main_, kMuch, 2000 * 8);
  }
  // A few stay in each area.
  for (int round = 0; round < 6; ++round) {
    const Address from = next_;
    fill_with_reads(9000, 30);
    for (Address at = from; at < next_; at += 8) {
      if (at % 4096 != 0) detector_->allocate(*main_, at, 8);
    }
  }
  EXPECT_LE(most_, 32 * kMiB);
  EXPECT_EQ(detector_->statistics().histories_forgotten, 0u);
  EXPECT_TRUE(notes_.empty());
  EXPECT_TRUE(detector_->check_invariants());
}

// Who wrote something last is in a list, behind many reads. Whoever waits for it, or reads it under the same lock, is
// ordered after that, whether the reads are forgotten or all.
TEST_F(HistoryBoundTest, NoOrderIsLost) {
  for (const bool very_short : {false, true}) {
    start(EngineKind::kHybrid, 32 * kMiB);
    Thread& giver = *threads_[6];
    Thread& waiter = *threads_[7];
    Thread& taker = *threads_[5];
    constexpr Address kFlags[] = {kFlag, kFlag + 8, kFlag + 16};
    // The first is waited for already, the second will be, the third is under a lock.
    detector_->spin_read(waiter, kFlags[0], 4, 1, true);
    for (const Address flag : kFlags) {
      detector_->write(giver, kData + (flag - kFlag), 8, 4);
      detector_->lock_acquire(giver, kLocks, LockMode::kExclusive, 1);
      detector_->write(giver, flag, 4, 5);
      detector_->lock_release(giver, kLocks, LockMode::kExclusive);
      detector_->write(*threads_[0], flag + 4, 4, 6);
      for (unsigned k = 0; k < 40; ++k) read_under(*threads_[k % 2], k, flag + 4, 4);
    }
    const unsigned history = detector_->accesses_at(kFlags[1]);
    if (very_short) {
      for (int round = 0; round < 20 && detector_->accesses_at(kFlags[1]) > 3; ++round) fill_with_writes(100000, 8);
      ASSERT_LE(detector_->accesses_at(kFlags[1]), 3u);  // no list
      ASSERT_LE(detector_->accesses_at(kFlags[2]), 3u);
    } else {
      fill_with_reads(8000, 120);
    }
    EXPECT_LT(detector_->accesses_at(kFlags[1]), history);
    EXPECT_EQ(notes_.size(), very_short ? 2u : 1u);
    pairs_.clear();
    for (const Address flag : {kFlags[0], kFlags[1]}) {
      detector_->spin_read(waiter, flag, 4, 6);
      detector_->spin_leave(waiter);
      detector_->write(waiter, kData + (flag - kFlag), 8, 7);
      EXPECT_TRUE(pairs_.empty()) << very_short << flag;
    }
    detector_->lock_acquire(taker, kLocks, LockMode::kExclusive, 1);
    detector_->read(taker, kFlags[2], 4, 6);
    detector_->lock_release(taker, kLocks, LockMode::kExclusive);
    detector_->write(taker, kData + (kFlags[2] - kFlag), 8, 7);
    EXPECT_TRUE(pairs_.empty()) << very_short;
    // Races that are observed are still reported.
    detector_->write(*threads_[4], kData, 8, 8);
    EXPECT_FALSE(pairs_.empty());
  }
}

// Atomics stay known as such, and their release clocks go on.
TEST_F(HistoryBoundTest, AtomicsStayAtomic) {
  start(EngineKind::kHybrid, 32 * kMiB);
  auto store = [&](Thread& thread, Address at) {
    detector_->atomic(thread, at, 8, 1,
                      [] { return Detector::AtomicOutcome{EventKind::kAtomicStore, MemoryOrder::kRelease}; });
  };
  detector_->write(*threads_[0], kData, 8, 2);
  store(*threads_[0], kFlag);
  fill_with_writes(150000, 8);
  ASSERT_EQ(notes_.size(), 2u);
  pairs_.clear();
  EXPECT_TRUE(detector_->holds_atomic(kFlag));
  detector_->atomic_load(*threads_[1], kFlag, 8, MemoryOrder::kAcquire, 3, [] {});
  detector_->write(*threads_[1], kData, 8, 4);
  EXPECT_TRUE(pairs_.empty());
  detector_->write(*threads_[2], kFlag, 8, 5);  // plain
  EXPECT_FALSE(pairs_.empty());
}

// The system itself gives no more.
TEST(HistoryBoundWithoutMemoryTest, CollectionsStayRare) {
  const TestingArena memory(48 * kMiB);
  const auto detector = std::make_unique<Detector>();
  std::vector<std::string> notes;
  Listener listener;
  listener.context = &notes;
  listener.note = [](void* c, const char* text) { static_cast<std::vector<std::string>*>(c)->emplace_back(text); };
  ASSERT_TRUE(detector->init({}, listener));
  Thread* main = detector->add_root(0);
  Thread* threads[8];
  for (unsigned i = 0; i < 8; ++i) threads[i] = detector->fork(*main, i + 1);
  for (Address i = 0; i < 200000; ++i) {
    for (unsigned k = 0; k < 8; ++k) detector->write(*threads[k], kMuch + i * 8 + k, 1, 3);
  }
  EXPECT_FALSE(notes.empty());
  EXPECT_LT(detector->statistics().full_collections, 100u);
  EXPECT_TRUE(detector->check_invariants());
}

}  // namespace
}  // namespace norn
