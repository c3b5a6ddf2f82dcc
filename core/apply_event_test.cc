// What only apply() does with events that no script of tests/scripts/ can judge: the oracle does not know them.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/detector.h"
#include "core/testing/test_arena.h"

namespace norn {
namespace {

constexpr Address kData = 0x10000;
constexpr Address kFlag = 0x20000;
constexpr Address kLock = 0x30000;
constexpr Address kClock = 7;

class ApplyTest : public ::testing::Test {
 protected:
  void init(const Options& options = {}) {
    Options all = options;
    all.log2_histories = 10;
    Listener listener;
    listener.context = this;
    listener.pair = [](void* context, const RacingPair& pair) {
      static_cast<ApplyTest*>(context)->standings_.push_back(pair.standing);
    };
    ASSERT_TRUE(detector_->init(all, listener));
  }
  void apply(ThreadId thread, EventKind kind, Address address = 0, uint64_t size = 8) {
    Event event;
    event.kind = kind;
    event.thread = thread;
    event.address = address;
    event.size = size;
    event.order = MemoryOrder::kRelaxed;
    event.where = ++where_;
    detector_->apply(event);
  }
  // One thread writes data and then, under a lock, a flag; the other sees that it is set, and writes the data.
  void hand_over(EventKind how) {
    apply(1, EventKind::kWrite, kData);
    apply(1, EventKind::kLockAcquire, kLock);
    apply(1, EventKind::kWrite, kFlag);
    apply(1, EventKind::kLockRelease, kLock);
    apply(2, EventKind::kLockAcquire, kLock);
    apply(2, how, kFlag);
    apply(2, EventKind::kLockRelease, kLock);
    apply(2, EventKind::kWrite, kData);
  }

  const TestingArena arena_;
  std::unique_ptr<Detector> detector_ = std::make_unique<Detector>();
  std::vector<Standing> standings_;
  StackId where_ = 0;
};

TEST_F(ApplyTest, BeginAgainIsUnorderedWithWhatTheThreadDid) {
  init();
  apply(1, EventKind::kWrite, kData);
  apply(1, EventKind::kBeginAgain, kClock);
  apply(1, EventKind::kWrite, kData);
  EXPECT_EQ(standings_, std::vector{Standing::kObserved});
}

TEST_F(ApplyTest, BeginAgainComesAfterTheClock) {
  init();
  apply(2, EventKind::kWrite, kData);
  apply(2, EventKind::kClockRelease, kClock);
  apply(1, EventKind::kSemaphorePost, kFlag);
  apply(1, EventKind::kBeginAgain, kClock);
  apply(1, EventKind::kWrite, kData);
  EXPECT_TRUE(standings_.empty());
}

TEST_F(ApplyTest, ForgottenAccessesDoNotRace) {
  init();
  apply(1, EventKind::kWrite, kData);
  apply(1, EventKind::kWrite, kData + 8);
  apply(2, EventKind::kForget, kData);
  apply(2, EventKind::kWrite, kData);
  EXPECT_TRUE(standings_.empty());
  apply(2, EventKind::kWrite, kData + 8);
  EXPECT_EQ(standings_.size(), 1u);
}

TEST_F(ApplyTest, WhatALookFindsIsHandedOver) {
  init();
  hand_over(EventKind::kLook);
  EXPECT_TRUE(standings_.empty());
}

TEST_F(ApplyTest, WithoutALookTheLocksOrderAlone) {
  init();
  hand_over(EventKind::kThreadStart);
  EXPECT_EQ(standings_, std::vector{Standing::kPredicted});
}

TEST_F(ApplyTest, NothingIsPredictedWhenNotAllIsSeen) {
  init();
  apply(1, EventKind::kObserveOnly);
  hand_over(EventKind::kThreadStart);
  EXPECT_TRUE(standings_.empty());
}

TEST_F(ApplyTest, SpinsCountFromWhenTheyAreExpected) {
  Options options;
  options.spin = false;
  init(options);
  apply(1, EventKind::kExpectSpins);
  apply(1, EventKind::kWrite, kData);
  apply(1, EventKind::kWrite, kFlag);
  apply(2, EventKind::kSpinRead, kFlag);
  apply(2, EventKind::kSpinLeave);
  apply(2, EventKind::kWrite, kData);
  EXPECT_TRUE(standings_.empty());
}

TEST_F(ApplyTest, ALoopLeftByAnAtomicComesAfterItsWriters) {
  init();
  apply(1, EventKind::kWrite, kData);
  apply(1, EventKind::kAtomicStore, kFlag);  // relaxed
  apply(2, EventKind::kLeaveByAtomic, kFlag);
  apply(2, EventKind::kWrite, kData);
  EXPECT_TRUE(standings_.empty());
}

TEST_F(ApplyTest, UnsampledAtomicsOrder) {
  Options options;
  options.sampled = true;
  init(options);
  const auto unsampled = [&](ThreadId thread, EventKind kind, MemoryOrder order) {
    Event event;
    event.kind = kind;
    event.thread = thread;
    event.address = kFlag;
    event.order = order;
    detector_->apply(event);
  };
  apply(1, EventKind::kWrite, kData);
  apply(2, EventKind::kThreadStart);
  unsampled(1, EventKind::kUnsampledBefore, MemoryOrder::kRelease);
  unsampled(2, EventKind::kUnsampledAfter, MemoryOrder::kAcquire);
  apply(2, EventKind::kWrite, kData);
  EXPECT_TRUE(standings_.empty());
  apply(3, EventKind::kWrite, kData);
  EXPECT_EQ(standings_.size(), 1u);
}

TEST_F(ApplyTest, TimesThatSomebodyKeepsPass) {
  init();
  apply(1, EventKind::kThreadStart);
  const Thread& thread = *detector_->find(1);
  EXPECT_FALSE(thread.epoch_used);
  apply(1, EventKind::kUseEpoch);
  EXPECT_TRUE(thread.epoch_used);
  apply(1, EventKind::kClockRelease, kClock);
  EXPECT_FALSE(thread.epoch_used);
  apply(1, EventKind::kBirth);
  EXPECT_TRUE(thread.epoch_used && thread.gives_birth);
}

TEST_F(ApplyTest, ConditionVariablesMayComeLater) {
  Options options;
  options.conditions = false;
  options.condition = ConditionMode::kWriteRead;
  init(options);
  apply(1, EventKind::kExpectConditions);
  apply(1, EventKind::kLockAcquire, kLock);
  EXPECT_TRUE(detector_->find(1)->recording);
}

}  // namespace
}  // namespace norn
