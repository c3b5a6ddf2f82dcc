// The listeners of this room behind an emitter, fed as a front end feeds them.
#include "hazards/hazard_listener.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "core/emitter_inline.h"
#include "core/testing/test_arena.h"

namespace norn::hazards {

constinit Detector detector;
constinit Hazards listener;
constinit Emitter<detector, listener> emit;

namespace {

Arena& memory() {
  static Arena arena;
  return arena;
}

std::vector<std::vector<LockEdge>> orders;
std::vector<BrokenRegion> broken;
std::vector<Event> recorded;

constexpr Address kPrivate = 0x7000000;

// All tests share a detector: each has threads, locks and places of its own.
class HazardsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const TestingArena arena;
    Options options;
    options.handover = false;  // as with --hazards=atomicity: a lock that hands something over may do so by accident
    ASSERT_TRUE(detector.init(options, {}));
    listener.lock_order.init(detector, memory(),
                             [](const LockEdge* edges, unsigned count) { orders.emplace_back(edges, edges + count); });
    listener.atomicity.init(
        detector, memory(), [](const BrokenRegion& found) { broken.push_back(found); },
        [](const Thread& /*thread*/, Address address) { return address >= kPrivate; });
    main_ = emit.add_root(next_thread_++);
  }
  void SetUp() override {
    orders.clear();
    broken.clear();
    listener.lock_order.watch(true);
    watch_atomicity(true);
    first_ += 0x1000;
    a_ = emit.fork(*main_, next_thread_++);
    b_ = emit.fork(*main_, next_thread_++);
  }
  static void watch_atomicity(bool on) {
    listener.atomicity.watch(on);
    emit.settle();
  }
  [[nodiscard]] static Address lock(unsigned number) { return first_ + number * 64; }
  void take(Thread* thread, unsigned number, LockAttempt attempt = LockAttempt::kBlocking,
            LockMode mode = LockMode::kExclusive) {
    emit.lock_acquire(*thread, lock(number), mode, attempt, ++where_);
  }
  static void give(Thread* thread, unsigned number) { emit.lock_release(*thread, lock(number), LockMode::kExclusive); }
  void nest(Thread* thread, unsigned outer, unsigned inner, LockAttempt attempt = LockAttempt::kBlocking) {
    take(thread, outer);
    take(thread, inner, attempt);
    give(thread, inner);
    give(thread, outer);
  }
  void access(Thread* thread, AccessKind kind, Address address) {
    emit.access(*thread, kind, address, 8, [&] { return ++where_; });
  }
  void locked(Thread* thread, AccessKind kind, Address address) {
    take(thread, 1);
    access(thread, kind, address);
    give(thread, 1);
  }

  static inline Thread* main_ = nullptr;
  static inline ThreadId next_thread_ = 1;
  static inline Address first_ = 0x100000;
  Thread* a_ = nullptr;
  Thread* b_ = nullptr;
  StackId where_ = 0;
};

TEST_F(HazardsTest, LocksTakenInTwoOrdersAreFoundOnce) {
  nest(a_, 1, 2);
  EXPECT_TRUE(orders.empty());
  nest(b_, 2, 1);
  ASSERT_EQ(orders.size(), 1u);
  ASSERT_EQ(orders[0].size(), 2u);
  EXPECT_EQ(orders[0][0].thread, b_->id);
  EXPECT_EQ(orders[0][0].holds, lock(2));
  EXPECT_EQ(orders[0][0].wants, lock(1));
  EXPECT_EQ(orders[0][0].holds_at, 3u);
  EXPECT_EQ(orders[0][0].wants_at, 4u);
  EXPECT_EQ(orders[0][1].thread, a_->id);
  EXPECT_EQ(orders[0][1].wants, lock(2));
}

TEST_F(HazardsTest, OneOrderIsNone) {
  nest(a_, 1, 2);
  nest(b_, 1, 2);
  EXPECT_TRUE(orders.empty());
}

TEST_F(HazardsTest, AGateLetsOnlyOneIn) {
  for (Thread* thread : {a_, b_}) {
    take(thread, 3);
    thread == a_ ? nest(thread, 1, 2) : nest(thread, 2, 1);
    give(thread, 3);
  }
  EXPECT_TRUE(orders.empty());
}

TEST_F(HazardsTest, ATryDoesNotWait) {
  nest(a_, 1, 2);
  nest(b_, 2, 1, LockAttempt::kTry);
  EXPECT_TRUE(orders.empty());
}

TEST_F(HazardsTest, ATimedOneWaits) {
  nest(a_, 1, 2);
  nest(b_, 2, 1, LockAttempt::kTimed);
  EXPECT_EQ(orders.size(), 1u);
}

TEST_F(HazardsTest, ThreadsThatWereNeverThereTogetherAreNone) {
  nest(a_, 1, 2);
  const ThreadId ended = a_->id;
  emit.exit(*a_);
  emit.join(*b_, ended);
  nest(b_, 2, 1);
  EXPECT_TRUE(orders.empty());
}

TEST_F(HazardsTest, NothingIsFoundWhileNobodyWatches) {
  listener.lock_order.watch(false);
  nest(a_, 1, 2);
  nest(b_, 2, 1);
  EXPECT_TRUE(orders.empty());
}

TEST_F(HazardsTest, ACycleOfThree) {
  Thread* c = emit.fork(*main_, next_thread_++);
  nest(a_, 1, 2);
  nest(b_, 2, 3);
  nest(c, 3, 1);
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].size(), 3u);
}

TEST_F(HazardsTest, ARegionThatAnotherComesInto) {
  const Address data = lock(9);
  locked(b_, AccessKind::kWrite, data);
  locked(a_, AccessKind::kRead, data);
  EXPECT_TRUE(broken.empty());
  locked(a_, AccessKind::kWrite, data);
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_EQ(broken[0].address, data);
  EXPECT_EQ(broken[0].first.thread, a_->id);
  EXPECT_EQ(broken[0].between.thread, b_->id);
  EXPECT_TRUE(broken[0].second.writes);
}

TEST_F(HazardsTest, AWaitGivesTheLockUp) {
  const Address data = lock(9);
  locked(b_, AccessKind::kWrite, data);
  take(a_, 1);
  access(a_, AccessKind::kRead, data);
  emit.wait_enter(*a_, lock(8), lock(1), true);
  emit.wait_leave(*a_, lock(8), lock(1), true, ++where_);
  access(a_, AccessKind::kWrite, data);
  give(a_, 1);
  EXPECT_EQ(broken.size(), 1u);
}

TEST_F(HazardsTest, OneRegionIsWhole) {
  const Address data = lock(9);
  locked(b_, AccessKind::kWrite, data);
  take(a_, 1);
  access(a_, AccessKind::kRead, data);
  access(a_, AccessKind::kWrite, data);
  give(a_, 1);
  EXPECT_TRUE(broken.empty());
}

TEST_F(HazardsTest, WhatIsPrivateIsNone) {
  locked(b_, AccessKind::kWrite, kPrivate);
  locked(a_, AccessKind::kRead, kPrivate);
  locked(a_, AccessKind::kWrite, kPrivate);
  EXPECT_TRUE(broken.empty());
}

TEST_F(HazardsTest, EveryAccessIsWantedForAtomicityAlone) {
  EXPECT_TRUE(emit.wants_every_access());
  watch_atomicity(false);
  EXPECT_FALSE(emit.wants_every_access());
  const Address data = lock(9);
  locked(b_, AccessKind::kWrite, data);
  locked(a_, AccessKind::kRead, data);
  locked(a_, AccessKind::kWrite, data);
  EXPECT_TRUE(broken.empty());
}

// The last two: a recorder stays.
TEST_F(HazardsTest, TheRecorderHearsAll) {
  static constexpr Recorder kRecorder = {nullptr,
                                         [](void* /*context*/, const Event& event) { recorded.push_back(event); }};
  watch_atomicity(false);
  emit.set_recorder(kRecorder);
  EXPECT_TRUE(emit.wants_every_access());
  ReleaseClock clock;
  take(a_, 1, LockAttempt::kTry, LockMode::kShared);
  access(a_, AccessKind::kRead, lock(9));
  emit.clock_release(*a_, clock);
  emit.clock_acquire(*b_, clock);
  emit.atomic(*b_, lock(9), 4, ++where_,
              [] { return Detector::AtomicOutcome{EventKind::kAtomicRmw, MemoryOrder::kRelease}; });
  const EventKind kinds[] = {EventKind::kLockAcquire, EventKind::kRead, EventKind::kClockRelease,
                             EventKind::kClockAcquire, EventKind::kAtomicRmw};
  ASSERT_EQ(recorded.size(), std::size(kinds));
  for (size_t i = 0; i < recorded.size(); ++i) EXPECT_EQ(recorded[i].kind, kinds[i]) << i;
  EXPECT_EQ(recorded[0].attempt, LockAttempt::kTry);
  EXPECT_EQ(recorded[0].mode, LockMode::kShared);
  EXPECT_EQ(recorded[1].where, where_ - 1);
  EXPECT_EQ(recorded[2].address, recorded[3].address);
  EXPECT_EQ(recorded[3].thread, b_->id);
  EXPECT_EQ(recorded[4].order, MemoryOrder::kRelease);

  recorded.clear();
  emit.signal(*a_, lock(8));
  emit.broadcast(*a_, lock(8));
  ASSERT_EQ(recorded.size(), 2u);
  EXPECT_EQ(recorded[0].kind, EventKind::kSignal);
  EXPECT_EQ(recorded[1].kind, EventKind::kBroadcast);
}

// Each operation is recorded with the value that it left or saw; two threads write, one reads.
TEST_F(HazardsTest, TheRecorderHearsAtomicsInTheOrderInWhichTheyTookEffect) {
  struct Seen {
    EventKind kind;
    uint64_t value;
  };
  static constexpr unsigned kTimes = 3000;
  static std::vector<Seen> seen;
  static SpinMutex mutex;
  static thread_local uint64_t value;
  static constexpr Recorder kRecorder = {nullptr, [](void* /*context*/, const Event& event) {
                                           std::this_thread::yield();  // whoever can come in between does
                                           const SpinLock guard(mutex);
                                           seen.push_back({event.kind, value});
                                         }};
  Thread* c = emit.fork(*main_, next_thread_++);
  watch_atomicity(false);
  seen.clear();
  emit.set_recorder(kRecorder);
  static std::atomic<uint64_t> counter;
  counter = 0;
  const Address where = lock(9);
  const auto write = [where](Thread* thread) {
    for (unsigned i = 0; i < kTimes; ++i) {
      emit.atomic(*thread, where, 8, 1, [] {
        value = counter.fetch_add(1) + 1;
        return AtomicOutcome{EventKind::kAtomicRmw, MemoryOrder::kAcqRel};
      });
    }
  };
  std::thread writers[] = {std::thread(write, a_), std::thread(write, b_)};
  for (unsigned i = 0; i < kTimes; ++i) {
    emit.atomic_load(*c, where, 8, MemoryOrder::kAcquire, 2, [] { value = counter.load(); });
  }
  for (std::thread& writer : writers) writer.join();

  ASSERT_EQ(seen.size(), 3 * kTimes);
  uint64_t latest = 0;
  unsigned wrong = 0;
  for (const Seen& event : seen) {
    if (event.kind == EventKind::kAtomicRmw) ++latest;
    if (event.value != latest) ++wrong;
  }
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace norn::hazards
