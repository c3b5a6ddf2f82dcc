// What orders threads where only samples of their accesses are emitted (core/order/unsampled.cc).
#include <gtest/gtest.h>

#include <memory>

#include "core/detector.h"
#include "core/testing/test_arena.h"

namespace norn {
namespace {

constexpr Address kFlag = 0x10000;
constexpr Address kLock = 0x20000;
constexpr Address kData = 0x30000;

class SampledTest : public testing::Test {
 protected:
  SampledTest() {
    Listener listener;
    listener.context = this;
    listener.pair = [](void* test, const RacingPair&) { ++static_cast<SampledTest*>(test)->races_; };
    EXPECT_TRUE(detector_.init({}, listener));
    detector_.observe_only();
    main_ = detector_.add_root(0);
    a_ = detector_.fork(*main_, 1);
    b_ = detector_.fork(*main_, 2);
  }

  void write(Thread* thread, Address at) { detector_.write(*thread, at, 8, 1); }
  void store(Thread* thread, MemoryOrder order) { detector_.before_unsampled(*thread, kFlag, order); }
  void load(Thread* thread, MemoryOrder order) { detector_.after_unsampled(*thread, kFlag, order); }
  void take(Thread* thread, LockMode mode = LockMode::kExclusive, StackId where = kNoStack) {
    detector_.lock_acquire(*thread, kLock, mode, where);
  }
  void give(Thread* thread) { detector_.lock_release(*thread, kLock, LockMode::kExclusive); }

  TestingArena memory_;
  Detector detector_;
  Thread* main_ = nullptr;
  Thread* a_ = nullptr;
  Thread* b_ = nullptr;
  unsigned races_ = 0;
};

TEST_F(SampledTest, AnUnsampledReleaseOrdersAndNothingNewIsStillOrdered) {
  for (Address data = kData; data < kData + 80; data += 8) {
    write(a_, data);
    store(a_, MemoryOrder::kRelease);
    store(a_, MemoryOrder::kRelease);
    load(b_, MemoryOrder::kAcquire);
    load(b_, MemoryOrder::kAcquire);
    write(b_, data);
  }
  EXPECT_EQ(races_, 0u);
}

TEST_F(SampledTest, ARelaxedStoreGivesNothing) {
  write(a_, kData);
  store(a_, MemoryOrder::kRelaxed);
  load(b_, MemoryOrder::kAcquire);
  write(b_, kData);
  EXPECT_EQ(races_, 1u);
}

TEST_F(SampledTest, WhatWasWrittenAfterTheReleaseRaces) {
  store(a_, MemoryOrder::kRelease);
  write(a_, kData);
  load(b_, MemoryOrder::kAcquire);
  write(b_, kData);
  EXPECT_EQ(races_, 1u);
}

TEST_F(SampledTest, WhatWasLearnedIsGivenOn) {
  Thread* c = detector_.fork(*main_, 3);
  store(b_, MemoryOrder::kRelease);  // it has given all it knows
  write(a_, kData);
  take(a_);
  give(a_);
  take(b_);
  give(b_);
  store(b_, MemoryOrder::kRelease);
  load(c, MemoryOrder::kAcquire);
  write(c, kData);
  EXPECT_EQ(races_, 0u);
}

TEST_F(SampledTest, AFenceGivesByRelaxedStores) {
  write(a_, kData);
  detector_.fence(*a_, MemoryOrder::kRelease);
  store(a_, MemoryOrder::kRelaxed);
  load(b_, MemoryOrder::kRelaxed);
  detector_.fence(*b_, MemoryOrder::kAcquire);
  write(b_, kData);
  EXPECT_EQ(races_, 0u);
}

// One is looked at, the other is not.
TEST_F(SampledTest, SampledAndUnsampledOperationsOrderEachOther) {
  auto seen = [&](Thread* thread, EventKind kind, MemoryOrder order) {
    detector_.atomic(*thread, kFlag, 8, 1, [&] { return Detector::AtomicOutcome{kind, order}; });
  };
  write(a_, kData);
  seen(a_, EventKind::kAtomicStore, MemoryOrder::kRelease);
  load(b_, MemoryOrder::kAcquire);
  write(b_, kData);
  store(b_, MemoryOrder::kRelease);
  seen(a_, EventKind::kAtomicLoad, MemoryOrder::kAcquire);
  write(a_, kData);
  // Another's store takes nothing away.
  store(a_, MemoryOrder::kRelease);
  seen(b_, EventKind::kAtomicStore, MemoryOrder::kRelaxed);
  load(b_, MemoryOrder::kAcquire);
  write(b_, kData);
  EXPECT_EQ(races_, 0u);
  // The variable itself: what it gives includes its own access.
  seen(b_, EventKind::kAtomicStore, MemoryOrder::kRelease);
  load(a_, MemoryOrder::kAcquire);
  write(a_, kFlag);
  EXPECT_EQ(races_, 0u);
}

TEST_F(SampledTest, WhatALoopWasLeftByReleasesFromThenOn) {
  write(a_, kData);
  detector_.leave_by_atomic(*b_, kFlag);  // after all
  write(b_, kData);
  EXPECT_EQ(races_, 0u);
  store(b_, MemoryOrder::kRelaxed);
  detector_.leave_by_atomic(*a_, kFlag);
  write(a_, kData);
  EXPECT_EQ(races_, 0u);
}

TEST_F(SampledTest, LocksOrderWritersAndReadersButNotReaders) {
  for (unsigned i = 0; i < 3; ++i) {
    take(a_);
    write(a_, kData);
    give(a_);
    take(b_, LockMode::kShared);
    detector_.read(*b_, kData, 8, 1);
    give(b_);
    take(a_, LockMode::kShared);
    give(a_);
  }
  EXPECT_EQ(races_, 0u);
  take(a_, LockMode::kShared);
  write(a_, kData + 8);
  give(a_);
  take(b_, LockMode::kShared);
  write(b_, kData + 8);
  give(b_);
  EXPECT_EQ(races_, 1u);
}

TEST_F(SampledTest, ALockMadeAnewOrdersNothingOfItsPast) {
  take(a_);
  write(a_, kData);
  give(a_);
  detector_.lock_destroy(*a_, kLock);
  take(b_);
  write(b_, kData);
  give(b_);
  EXPECT_EQ(races_, 1u);
  take(a_);
  write(a_, kData);
  EXPECT_EQ(races_, 1u);
}

TEST_F(SampledTest, ShadowWordsKnowTheLocksThatAreHeld) {
  take(a_, LockMode::kExclusive, 7);
  write(a_, kData);
  EXPECT_NE(a_->lockset, kNoLocks);
  give(a_);
  write(a_, kData + 8);
  EXPECT_EQ(a_->lockset, kNoLocks);
  take(a_);
  EXPECT_EQ(detector_.lock_taken_at(a_->held[0].lock, a_->id, a_), 7u) << "the last place that was seen";
}

// Freed by whomever, or not told to be.
TEST_F(SampledTest, ObjectsThatAreGoneAreTakenBack) {
  const auto bytes_after = [&](unsigned many) {
    for (unsigned i = 0; i < many; ++i) {
      const Address flag = kData + i % 64 * 64;
      detector_.allocate(*a_, flag, 64);
      detector_.before_unsampled(*a_, flag, MemoryOrder::kRelease);
    }
    return detector_.statistics().arena_bytes;
  };
  const uint64_t before = bytes_after(50'000);
  EXPECT_LT(bytes_after(200'000), before + (1 << 20));
}

TEST_F(SampledTest, NewMemoryHasNoPast) {
  for (unsigned i = 0; i < 4; ++i) {
    for (Thread* thread : {a_, b_}) {
      detector_.allocate(*thread, kData + 8 * i, 72);
      write(thread, kData + 8 * i);
      write(thread, kData + 8 * i + 64);
      detector_.read(*thread, kData + 8 * i + 32, 3, 1);
    }
  }
  EXPECT_EQ(races_, 0u);
  write(a_, kData + 24);
  EXPECT_EQ(races_, 1u) << "what b did there last";
}

}  // namespace
}  // namespace norn
