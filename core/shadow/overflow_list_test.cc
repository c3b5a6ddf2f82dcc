// Granules with more shadow words than have room in them: what reads find in their lists, and what they leave there.
#include "core/shadow/overflow_list.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/detector.h"
#include "core/testing/test_arena.h"
#include "core/testing/test_listener.h"

namespace norn {
namespace {

constexpr Address kX = 0x10000;
constexpr Address kMutex = 0x20000;
constexpr Address kOther = 0x20100;
constexpr Address kDone = 0x30000;
constexpr ThreadId kThreads = 40;

class OverflowListTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(detector_->init({}, listener_into(pairs_)));
    main_ = detector_->add_root(0);
    for (ThreadId id = 1; id <= kThreads; ++id) threads_.push_back(detector_->fork(*main_, id));
    late_ = detector_->fork(*main_, kThreads + 1);
  }

  void new_time(Thread& thread) { detector_->happens_before(thread, kDone + 0x1000 + thread.id * 64); }
  void read_under(Thread& thread, Address lock, LockMode mode) {
    detector_->lock_acquire(thread, lock, mode, 1);
    detector_->read(thread, kX, 8, 2);
    detector_->lock_release(thread, lock, mode);
  }

  TestingArena memory_;
  std::unique_ptr<Detector> detector_ = std::make_unique<Detector>();
  std::vector<RacingPair> pairs_;
  Thread* main_ = nullptr;
  std::vector<Thread*> threads_;
  Thread* late_ = nullptr;
};

// What a thread reads as one of several readers stands for what it read before while it was alone, so that two threads'
// reads have room in the granule again.
TEST_F(OverflowListTest, AReadTakesAwayWhatIsProtectedBetter) {
  for (int round = 0; round < 3; ++round) {
    for (const LockMode mode : {LockMode::kShared, LockMode::kExclusive}) {
      for (ThreadId i = 0; i < 2; ++i) read_under(*threads_[i], kMutex, mode);
    }
    EXPECT_EQ(detector_->accesses_at(kX), 4u);
    for (ThreadId i = 0; i < 2; ++i) read_under(*threads_[i], kMutex, LockMode::kShared);
    EXPECT_EQ(detector_->accesses_at(kX), 2u);
  }
  detector_->write(*late_, kX, 8, 3);
  EXPECT_EQ(pairs_.size(), 2u);
}

// And not the other way round.
TEST_F(OverflowListTest, AReadLeavesWhatIsProtectedLess) {
  for (ThreadId i = 0; i < 2; ++i) {
    read_under(*threads_[i], kMutex, LockMode::kShared);
    read_under(*threads_[i], kOther, LockMode::kExclusive);
    detector_->read(*threads_[i], kX, 8, 4);
    for (int again = 0; again < 3; ++again) read_under(*threads_[i], kMutex, LockMode::kExclusive);
  }
  EXPECT_EQ(detector_->accesses_at(kX), 4u);
  detector_->lock_acquire(*late_, kMutex, LockMode::kExclusive, 1);
  detector_->write(*late_, kX, 8, 3);
  ASSERT_EQ(pairs_.size(), 2u);
  for (const RacingPair& pair : pairs_) EXPECT_EQ(pair.earlier.where, 4u);
}

// A mutex that many threads use, and that is freed after all but one of them.
TEST_F(OverflowListTest, EachOfManyUsersIsKept) {
  for (ThreadId left_out = 1; left_out <= kThreads; ++left_out) {
    pairs_.clear();
    for (int round = 0; round < 3; ++round) {
      for (Thread* thread : threads_) {
        new_time(*thread);
        detector_->use(*thread, kX, 2);
        detector_->use(*thread, kX, 2);
      }
      EXPECT_EQ(detector_->accesses_at(kX), kThreads);
    }
    for (Thread* thread : threads_) {
      if (thread->id != left_out) detector_->happens_before(*thread, kDone + left_out * 64);
    }
    detector_->happens_after(*main_, kDone + left_out * 64);
    detector_->free(*main_, kX, 8, 3);
    ASSERT_EQ(pairs_.size(), 1u);
    EXPECT_EQ(pairs_[0].earlier.thread, left_out);
    detector_->allocate(*main_, kX, 8);
  }
}

// More threads than have shadow words that fit into a granule, and more shadow words than are kept.
TEST_F(OverflowListTest, WhatIsKeptHasABound) {
  constexpr ThreadId kMany = 700;
  for (ThreadId id = kThreads + 2; id < kMany; ++id) threads_.push_back(detector_->fork(*main_, id));
  for (int round = 0; round < 6; ++round) {
    for (Thread* thread : threads_) {
      if (round % 3 == 2) new_time(*thread);
      detector_->use(*thread, kX, 2);
    }
    EXPECT_LE(detector_->accesses_at(kX), Options{}.history_cap) << round;
  }
  EXPECT_GT(detector_->statistics().accesses_forgotten, 0u);
}

// Beside a list: an atomic write races with what was read, and not with what was used. The read is in the granule when
// its thread comes again, or in the list.
TEST_F(OverflowListTest, AUseDoesNotStandForARead) {
  for (const bool at_once : {true, false}) {
    pairs_.clear();
    detector_->allocate(*late_, kX, 8);
    auto use = [&](Thread& thread) {
      new_time(thread);
      detector_->use(thread, kX, 2);
    };
    for (Thread* thread : threads_) use(*thread);
    detector_->read(*threads_[7], kX, 1, 4);
    if (at_once) use(*threads_[7]);
    for (int round = 0; round < 3; ++round) {
      for (Thread* thread : threads_) use(*thread);
    }
    detector_->atomic(*late_, kX, 1, 3,
                      [] { return Detector::AtomicOutcome{EventKind::kAtomicStore, MemoryOrder::kRelaxed}; });
    ASSERT_EQ(pairs_.size(), 1u) << at_once;
    EXPECT_EQ(pairs_[0].earlier.thread, 8u);
    EXPECT_EQ(pairs_[0].earlier.where, 4u);
  }
}

}  // namespace
}  // namespace norn
