// Granules with atomics, whose shadow words are in them or in their lists: what is found there, and what passes no
// check.
#include "core/shadow/atomic_step.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/detector.h"
#include "core/testing/test_arena.h"
#include "core/testing/test_listener.h"

namespace norn {
namespace {

constexpr Address kX = 0x10000;
constexpr Address kData = 0x11000;
constexpr Address kTag = 0x30000;
constexpr ThreadId kThreads = 6;

class AtomicStepTest : public testing::Test {
 protected:
  void SetUp() override { start(); }
  void start() {
    detector_ = std::make_unique<Detector>();
    threads_.clear();
    pairs_.clear();
    ASSERT_TRUE(detector_->init({}, listener_into(pairs_)));
    main_ = detector_->add_root(0);
    for (ThreadId id = 1; id <= kThreads; ++id) threads_.push_back(detector_->fork(*main_, id));
  }

  void new_time(Thread& thread) { detector_->happens_before(thread, kTag + thread.id * 64); }
  void order(Thread& first, Thread& second) {
    detector_->happens_before(first, kTag);
    detector_->happens_after(second, kTag);
    detector_->sync_destroy(*main_, kTag);
  }
  void atomic(Thread& thread, EventKind kind, MemoryOrder order = MemoryOrder::kRelaxed, Address address = kX,
              unsigned size = 8) {
    detector_->atomic(thread, address, size, 2, [=] { return Detector::AtomicOutcome{kind, order}; });
  }

  TestingArena memory_;
  std::unique_ptr<Detector> detector_;
  std::vector<RacingPair> pairs_;
  Thread* main_ = nullptr;
  std::vector<Thread*> threads_;
};

// However many atomics came after it, with room in the granule and without.
TEST_F(AtomicStepTest, APlainWriteStaysBesideAtomics) {
  for (unsigned users = 1; users < kThreads; ++users) {
    start();
    detector_->write(*threads_[0], kX, 8, 1);
    for (unsigned i = 1; i <= users; ++i) order(*threads_[0], *threads_[i % (kThreads - 1)]);
    for (int round = 0; round < 4; ++round) {
      for (unsigned i = 0; i < users; ++i) {
        Thread& thread = *threads_[i];
        new_time(thread);
        atomic(thread, EventKind::kAtomicLoad);
        atomic(thread, EventKind::kAtomicRmw);
        atomic(thread, EventKind::kAtomicRmw);
      }
    }
    EXPECT_TRUE(pairs_.empty());
    EXPECT_EQ(detector_->accesses_at(kX), users + 1);
    atomic(*threads_[kThreads - 1], EventKind::kAtomicLoad);
    ASSERT_EQ(pairs_.size(), 1u) << users;
    EXPECT_EQ(pairs_[0].earlier.thread, 1u);
    EXPECT_EQ(pairs_[0].earlier.kind, AccessKind::kWrite);
    pairs_.clear();
    detector_->read(*threads_[kThreads - 1], kX, 8, 3);
    EXPECT_EQ(pairs_.size(), users + 1);
  }
}

// Two atomics in one granule.
TEST_F(AtomicStepTest, EachWordHasItsOwn) {
  for (int round = 0; round < 3; ++round) {
    atomic(*threads_[0], EventKind::kAtomicStore, MemoryOrder::kRelaxed, kX, 4);
    atomic(*threads_[1], EventKind::kAtomicStore, MemoryOrder::kRelaxed, kX + 4, 4);
    new_time(*threads_[0]);
  }
  EXPECT_TRUE(pairs_.empty());
  detector_->read(*threads_[2], kX + 4, 4, 3);
  ASSERT_EQ(pairs_.size(), 1u);
  EXPECT_EQ(pairs_[0].earlier.thread, 2u);
  pairs_.clear();
  detector_->read(*threads_[2], kX, 4, 3);
  ASSERT_EQ(pairs_.size(), 1u);
  EXPECT_EQ(pairs_[0].earlier.thread, 1u);
}

// A plain write ends the release clock, whether or not its thread wrote plainly at the same time before.
TEST_F(AtomicStepTest, APlainWriteOfTheSameTimeIsSeen) {
  for (const bool plainly_before : {true, false}) {
    for (const bool plainly_after : {true, false}) {
      start();
      Thread& writer = *threads_[0];
      Thread& reader = *threads_[1];
      detector_->write(writer, kData, 8, 1);
      detector_->fence(writer, MemoryOrder::kRelease);
      if (plainly_before) detector_->write(writer, kX, 8, 1);
      atomic(writer, EventKind::kAtomicStore);
      if (plainly_after && !detector_->knows(writer, AccessKind::kWrite, kX, 8)) detector_->write(writer, kX, 8, 1);
      order(*threads_[2], reader);
      atomic(reader, EventKind::kAtomicLoad, MemoryOrder::kAcquire);
      pairs_.clear();
      detector_->read(reader, kData, 8, 1);
      EXPECT_EQ(pairs_.size(), plainly_after ? 1u : 0u) << plainly_before;
    }
  }
}

// Collections find that the lists of such granules are shared, and what is in the others.
TEST_F(AtomicStepTest, CollectionsKeepThem) {
  constexpr Address kMany = 64;
  detector_->write(*main_, kX + kMany * 4, 8, 1);
  for (int round = 0; round < 12; ++round) {
    for (Address at = kX; at < kX + kMany * 8; at += 8) {
      for (unsigned i = 0; i < 4; ++i) {
        new_time(*threads_[i]);
        if (at / 8 % 2 == 0 || i == 0) atomic(*threads_[i], EventKind::kAtomicRmw, MemoryOrder::kRelaxed, at);
      }
    }
    detector_->request_collection();
  }
  EXPECT_TRUE(detector_->check_invariants());
  for (Address at = kX; at < kX + kMany * 8; at += 8) {
    pairs_.clear();
    detector_->read(*threads_[4], at, 8, 1);
    EXPECT_GE(pairs_.size(), at / 8 % 2 == 0 ? 4u : 1u);
    EXPECT_TRUE(detector_->holds_atomic(at));
  }
}

}  // namespace
}  // namespace norn
