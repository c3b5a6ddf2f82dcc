#include "core/detector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/testing/test_arena.h"

namespace norn {
namespace {

constexpr Address kX = 0x10000;
constexpr Address kMutex = 0x20000;

struct Heard {
  std::vector<RacingPair> pairs;
  std::vector<const Candidate*> candidates;
  std::vector<std::string> notes;
};

Listener listen(Heard& heard) {
  Listener listener;
  listener.context = &heard;
  listener.pair = [](void* c, const RacingPair& pair) { static_cast<Heard*>(c)->pairs.push_back(pair); };
  listener.candidate = [](void* c, const Candidate& candidate) {
    static_cast<Heard*>(c)->candidates.push_back(&candidate);
  };
  listener.note = [](void* c, const char* text) { static_cast<Heard*>(c)->notes.emplace_back(text); };
  return listener;
}

class DetectorTest : public testing::Test {
 protected:
  void start(Options options = {}) {
    detector_ = std::make_unique<Detector>();
    ASSERT_TRUE(detector_->init(options, listen(heard_)));
    main_ = detector_->add_root(0);
    ASSERT_NE(main_, nullptr);
  }

  TestingArena memory_;
  Heard heard_;
  std::unique_ptr<Detector> detector_;
  Thread* main_ = nullptr;
};

TEST_F(DetectorTest, AReleaseClockThatIsKnownIsJoinedAgainWhenItIsAnother) {
  for (const bool fenced : {false, true}) {
    heard_.pairs.clear();
    start();
    Thread* other = detector_->fork(*main_, 1);
    auto store = [&](MemoryOrder order) {
      detector_->atomic(*main_, kX, 8, 1, [&] { return Detector::AtomicOutcome{EventKind::kAtomicStore, order}; });
    };
    auto load = [&] {
      detector_->atomic_load(*other, kX, 8, fenced ? MemoryOrder::kRelaxed : MemoryOrder::kAcquire, 2, [] {});
    };
    for (Address data = kMutex; data < kMutex + 80; data += 8) {
      detector_->write(*main_, data, 8, 3);
      store(MemoryOrder::kRelease);
      load();
      load();  // nothing new
      if (fenced) detector_->fence(*other, MemoryOrder::kAcquire);
      load();
      detector_->write(*other, data, 8, 4);
    }
    EXPECT_TRUE(heard_.pairs.empty());
    // What a plain store leaves is no release clock, and what was remembered of the one before is known.
    detector_->write(*main_, kMutex + 0x100, 8, 3);
    store(MemoryOrder::kRelaxed);
    load();
    if (fenced) detector_->fence(*other, MemoryOrder::kAcquire);
    detector_->write(*other, kMutex + 0x100, 8, 4);
    EXPECT_EQ(heard_.pairs.size(), 1u);
  }
}

// A free races with a load that came before it; that its epoch had such a load already must not hide the first.
TEST_F(DetectorTest, ALoadLikeAnEarlierOneOfItsEpochRacesLikeTheFirst) {
  for (const bool written : {false, true}) {
    heard_.pairs.clear();
    start();
    Thread* other = detector_->fork(*main_, 1);
    if (written) {
      detector_->atomic(*main_, kX, 8, 1,
                        [] { return Detector::AtomicOutcome{EventKind::kAtomicRmw, MemoryOrder::kRelaxed}; });
    }
    for (const Address at : {kX, kX + 4, kX}) {
      detector_->atomic_load(*other, at, 4, MemoryOrder::kAcquire, 2, [] {});
    }
    detector_->write(*main_, kX + 4, 4, 3);
    ASSERT_EQ(heard_.pairs.size(), 1u);
    EXPECT_EQ(heard_.pairs[0].address, kX + 4);
    // At its next time the thread's loads are news again.
    detector_->happens_before(*other, 0x50);
    detector_->happens_after(*main_, 0x50);
    detector_->write(*main_, kX, 4, 4);
    ASSERT_EQ(heard_.pairs.size(), 1u);
    detector_->atomic_load(*other, kX, 4, MemoryOrder::kAcquire, 2, [] {});
    EXPECT_EQ(heard_.pairs.size(), 2u);
  }
}

TEST_F(DetectorTest, ARaceInAHotLoopIsOneCandidateAndACounter) {
  start();
  Thread* other = detector_->fork(*main_, 1);
  for (int i = 0; i < 1000; ++i) {
    detector_->write(*main_, kX, 4, 1);
    detector_->happens_before(*main_, 0x50);  // ends the segment, so that the next write is looked at
    detector_->write(*other, kX, 4, 2);
    detector_->happens_before(*other, 0x60);
  }
  ASSERT_EQ(heard_.candidates.size(), 1u);
  EXPECT_EQ(detector_->candidates().size(), 1u);
  EXPECT_GE(heard_.candidates[0]->count.load(), 1000u);
}

// What a loop that is left waited for, without any access of its own.
TEST_F(DetectorTest, UnorderedWritesAreFoundForWhoLooks) {
  static std::vector<RacingPair> found;
  const auto look = [&](Thread& thread, AccessKind kind) {
    found.clear();
    detector_->find_unordered_writes(thread, kind, kX, 4, 9, [](const RacingPair& pair) { found.push_back(pair); });
    return found.size();
  };
  start();
  Thread* other = detector_->fork(*main_, 1);
  EXPECT_EQ(look(*other, AccessKind::kRead), 0u);
  detector_->read(*main_, kX, 4, 1);
  EXPECT_EQ(look(*other, AccessKind::kRead), 0u) << "a read";
  detector_->write(*main_, kX, 4, 2);
  EXPECT_EQ(look(*main_, AccessKind::kRead), 0u) << "its own";
  ASSERT_EQ(look(*other, AccessKind::kRead), 1u);
  EXPECT_EQ(found[0].earlier.where, 2u);
  EXPECT_EQ(found[0].earlier.thread, 0u);
  EXPECT_EQ(found[0].later.where, 9u);
  EXPECT_EQ(found[0].address, kX);
  EXPECT_EQ(found[0].size, 4u);
  EXPECT_EQ(look(*other, AccessKind::kAtomicRead), 1u) << "a plain write";
  detector_->happens_before(*main_, 0x50);
  detector_->happens_after(*other, 0x50);
  EXPECT_EQ(look(*other, AccessKind::kRead), 0u) << "ordered";
  detector_->atomic(*main_, kX, 4, 3,
                    [] { return Detector::AtomicOutcome{EventKind::kAtomicStore, MemoryOrder::kRelaxed}; });
  EXPECT_EQ(look(*other, AccessKind::kAtomicRead), 0u) << "both are atomic";
  EXPECT_EQ(look(*other, AccessKind::kRead), 1u);
  EXPECT_TRUE(heard_.pairs.empty()) << "nothing was reported or remembered";
}

// What a test-and-set finds orders by itself only if it was put there by a plain write.
TEST_F(DetectorTest, PlainWritesThatNothingOrdersAreKnown) {
  start();
  Thread* other = detector_->fork(*main_, 1);
  const auto known = [&] { return detector_->may_be_written_plainly(*other, kX, 4); };
  EXPECT_FALSE(known());
  detector_->read(*main_, kX, 4, 1);
  EXPECT_FALSE(known()) << "a read";
  detector_->write(*main_, kX, 4, 2);
  EXPECT_TRUE(known());
  EXPECT_FALSE(detector_->may_be_written_plainly(*main_, kX, 4)) << "its own";
  EXPECT_FALSE(detector_->may_be_written_plainly(*other, kX + 4, 4)) << "other bytes";
  detector_->happens_before(*main_, 0x50);
  detector_->happens_after(*other, 0x50);
  EXPECT_FALSE(known()) << "ordered";
  detector_->atomic(*main_, kX, 4, 3,
                    [] { return Detector::AtomicOutcome{EventKind::kAtomicStore, MemoryOrder::kRelaxed}; });
  EXPECT_FALSE(known()) << "an atomic write";
}

TEST_F(DetectorTest, ACandidateHasBothThreadsPlacesAndLocks) {
  start();
  Thread* other = detector_->fork(*main_, 1);
  detector_->lock_acquire(*main_, kMutex, LockMode::kExclusive, 77);
  detector_->write(*main_, kX, 4, 1);
  detector_->lock_release(*main_, kMutex, LockMode::kExclusive);
  detector_->read(*other, kX + 2, 2, 2);
  ASSERT_EQ(heard_.candidates.size(), 1u);
  const RacingPair& pair = heard_.candidates[0]->first;
  EXPECT_EQ(pair.standing, Standing::kObserved);
  EXPECT_EQ(pair.address, kX + 2);
  EXPECT_EQ(pair.size, 2u);
  EXPECT_EQ(pair.earlier.thread, 0u);
  EXPECT_EQ(pair.earlier.where, 1u);
  EXPECT_EQ(pair.earlier.kind, AccessKind::kWrite);
  EXPECT_EQ(pair.later.thread, 1u);
  EXPECT_EQ(pair.later.kind, AccessKind::kRead);
  EXPECT_EQ(pair.later.lockset, kNoLocks);
  ASSERT_EQ(detector_->locksets().size(pair.earlier.lockset), 1u);
  const LockInfo* lock = detector_->lock_info(detector_->locksets().lock_at(pair.earlier.lockset, 0));
  EXPECT_EQ(lock->address, kMutex);
  EXPECT_EQ(lock->takers[0].thread, 0u);
  EXPECT_EQ(lock->takers[0].where, 77u);
}

TEST_F(DetectorTest, APredictedCandidateIsToldAgainWhenObserved) {
  start();
  Thread* a = detector_->fork(*main_, 1);
  Thread* b = detector_->fork(*main_, 2);
  detector_->write(*a, kX, 4, 1);
  detector_->lock_acquire(*a, kMutex, LockMode::kExclusive, 0);
  detector_->lock_release(*a, kMutex, LockMode::kExclusive);
  detector_->lock_acquire(*b, kMutex, LockMode::kExclusive, 0);
  detector_->lock_release(*b, kMutex, LockMode::kExclusive);
  detector_->write(*b, kX, 4, 2);
  ASSERT_EQ(heard_.candidates.size(), 1u);
  EXPECT_EQ(heard_.candidates[0]->standing.load(), Standing::kPredicted);
  detector_->write(*a, kX, 4, 1);
  ASSERT_EQ(heard_.candidates.size(), 2u);
  EXPECT_EQ(heard_.candidates[1], heard_.candidates[0]);
  EXPECT_EQ(heard_.candidates[0]->standing.load(), Standing::kObserved);
}

// An unlocked write that a locked write of the same thread follows is still a racer: both are kept.
TEST_F(DetectorTest, AnAccessIsDroppedOnlyIfALaterOneRacesWithNoLess) {
  start();
  Thread* a = detector_->fork(*main_, 1);
  detector_->write(*a, kX, 4, 1);
  EXPECT_EQ(detector_->accesses_at(kX), 1u);
  detector_->lock_acquire(*a, kMutex, LockMode::kExclusive, 0);
  detector_->write(*a, kX, 4, 2);
  EXPECT_EQ(detector_->accesses_at(kX), 2u);
  detector_->lock_release(*a, kMutex, LockMode::kExclusive);
  detector_->write(*a, kX, 4, 3);
  EXPECT_EQ(detector_->accesses_at(kX), 1u);
}

TEST_F(DetectorTest, AMillionThreadsInTurnUseFewSlotsAndLittleMemory) {
  start();
  size_t mapped = 0;
  for (ThreadId id = 1; id <= 1000000; ++id) {
    Thread* child = detector_->fork(*main_, id);
    ASSERT_NE(child, nullptr);
    detector_->write(*child, kX, 4, 1);
    detector_->exit(*child);
    detector_->join(*main_, id);
    if (id == 1000) mapped = TestingArena::mapped();
  }
  EXPECT_TRUE(heard_.pairs.empty());
  EXPECT_TRUE(heard_.notes.empty());
  EXPECT_LT(TestingArena::mapped() - mapped, size_t{128} << 20);
}

// Threads that end after they gave all they did to a release clock, and whoever took it begins the next: one slot is
// enough.
TEST_F(DetectorTest, ReleaseClocksOrderAndLetSlotsBeUsedAgain) {
  start();
  ReleaseClock begin;
  ReleaseClock end;
  for (ThreadId id = 1; id <= 1000; ++id) {
    detector_->write(*main_, kX, 4, 1);
    detector_->clock_release(*main_, begin);
    Thread* child = detector_->fork_after(*main_, begin, id);
    ASSERT_NE(child, nullptr);
    detector_->write(*child, kX, 4, 2);
    detector_->clock_release(*child, end);
    detector_->detach(*main_, id);
    detector_->exit(*child);
    detector_->clock_acquire(*main_, end);
    EXPECT_LE(detector_->accesses_at(kX), 1u);
  }
  EXPECT_TRUE(heard_.pairs.empty());
  Thread* other = detector_->fork(*main_, 1001);
  EXPECT_LE(other->slot, 1u);
  detector_->clock_clear(begin);
  detector_->clock_clear(end);
  Thread* late = detector_->fork_after(*main_, begin, 1002);  // after nothing
  detector_->write(*late, kX, 4, 3);
  EXPECT_FALSE(heard_.pairs.empty());
}

// What threads that begin after the same release clock do, one after the other; some of them under locks.
struct Deed {
  bool begins;  // the next one
  AccessKind kind;
  Address address;
  uint64_t size;
  Address lock;  // 0: none
};

std::vector<Deed> random_deeds(std::mt19937& random, bool locked) {
  std::vector<Deed> deeds(5 + random() % 60);
  for (Deed& deed : deeds) {
    const uint64_t size = uint64_t{1} << random() % 4;
    deed = {random() % 3 == 0, random() % 4 == 0 ? AccessKind::kWrite : AccessKind::kRead,
            kX + random() % 4 * 8 + random() % (8 / size) * size, size,
            locked && random() % 3 == 0 ? kMutex + random() % 2 : 0};
  }
  return deeds;
}

// The bytes that race, with their standing.
std::map<Address, Standing> bytes_in(const Heard& heard) {
  std::map<Address, Standing> found;
  for (const RacingPair& pair : heard.pairs) {
    for (Address byte = pair.address; byte < pair.address + pair.size; ++byte) {
      found[byte] = std::max(found[byte], pair.standing);
    }
  }
  return found;
}

// `again`: all in one slot.
std::map<Address, Standing> judge(const std::vector<Deed>& deeds, bool again) {
  Heard heard;
  Detector detector;
  Options options;
  options.handover = false;  // by who goes on in a slot, what its former tenant did is handed over too
  EXPECT_TRUE(detector.init(options, listen(heard)));
  Thread* main = detector.add_root(0);
  ReleaseClock begin;
  detector.write(*main, kX + 8, 8, 1);
  detector.clock_release(*main, begin);
  ThreadId id = 1;
  Thread* present = detector.fork_after(*main, begin, id);
  for (const Deed& deed : deeds) {
    if (deed.begins && again) detector.begin_again(*present, begin);
    if (deed.begins && !again) present = detector.fork_after(*main, begin, ++id);
    if (deed.lock != 0) detector.lock_acquire(*present, deed.lock, LockMode::kExclusive, 1);
    detector.access(*present, deed.kind, deed.address, deed.size, StackId{1});
    if (deed.lock != 0) detector.lock_release(*present, deed.lock, LockMode::kExclusive);
  }
  detector.clock_clear(begin);
  return bytes_in(heard);
}

TEST_F(DetectorTest, WhoBeginsAgainIsAnother) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::vector<Deed> deeds = random_deeds(random, false);
    ASSERT_EQ(judge(deeds, true), judge(deeds, false)) << i;
  }
}

// For others the two are one, so a lock orders more than it should: what would be observed is predicted.
TEST_F(DetectorTest, WhoBeginsAgainUnderLocksIsAnother) {
  std::mt19937 random(2);
  auto bytes = [](const std::map<Address, Standing>& found) {
    std::set<Address> result;
    for (const auto& [byte, standing] : found) result.insert(byte);
    return result;
  };
  for (int i = 0; i < 1000; ++i) {
    const std::vector<Deed> deeds = random_deeds(random, true);
    ASSERT_EQ(bytes(judge(deeds, true)), bytes(judge(deeds, false))) << i;
  }
}

// What was read a million times is remembered twice: by the present one, and by the last before it.
TEST_F(DetectorTest, WhoBeginsAgainAndAgainLeavesLittle) {
  start();
  ReleaseClock begin;
  detector_->clock_release(*main_, begin);
  Thread* child = detector_->fork_after(*main_, begin, 1);
  for (int i = 0; i < 1000; ++i) {
    detector_->read(*child, kX, 4, 1);
    EXPECT_LE(detector_->accesses_at(kX), 3u);
    detector_->begin_again(*child, begin);
  }
  EXPECT_TRUE(heard_.pairs.empty());
  detector_->write(*child, kX, 4, 2);
  EXPECT_FALSE(heard_.pairs.empty());
}

// Of those before the present one the last stands for the others, not one of them for it.
TEST_F(DetectorTest, WhoBeginsAgainIsRememberedByTheLast) {
  start();
  ReleaseClock begin;
  detector_->clock_release(*main_, begin);
  Thread* child = detector_->fork_after(*main_, begin, 1);
  Thread* other = detector_->fork(*main_, 2);
  detector_->read(*child, kX, 4, 1);
  detector_->happens_before(*child, 0x50);
  detector_->happens_after(*other, 0x50);
  for (int i = 0; i < 2; ++i) {
    detector_->begin_again(*child, begin);
    detector_->read(*child, kX, 4, 2);
  }
  detector_->begin_again(*child, begin);
  detector_->lock_acquire(*child, kMutex, LockMode::kExclusive, 0);
  detector_->read(*child, kX, 4, 3);
  detector_->lock_release(*child, kMutex, LockMode::kExclusive);
  detector_->lock_acquire(*other, kMutex, LockMode::kExclusive, 0);
  detector_->write(*other, kX, 4, 4);
  ASSERT_EQ(heard_.pairs.size(), 1u);
  EXPECT_EQ(heard_.pairs[0].earlier.where, 2u);
}

TEST_F(DetectorTest, DetachedThreadsDoNotUseTheSlotsUp) {
  start();
  for (ThreadId id = 1; id <= 200000; ++id) {
    Thread* child = detector_->fork(*main_, id);
    ASSERT_NE(child, nullptr) << id;
    detector_->detach(*main_, id);
    detector_->write(*child, kX + id % 100 * 4, 4, 1);
    detector_->exit(*child);
  }
  EXPECT_FALSE(heard_.pairs.empty());  // nothing orders them
  EXPECT_TRUE(heard_.notes.empty());
}

TEST_F(DetectorTest, FourThousandThreadsAtOnce) {
  start();
  std::vector<Thread*> threads;
  for (ThreadId id = 1; id <= 5000; ++id) {
    threads.push_back(detector_->fork(*main_, id));
    ASSERT_NE(threads.back(), nullptr);
  }
  for (Thread* thread : threads) detector_->read(*thread, kX, 4, 1);
  EXPECT_TRUE(heard_.pairs.empty());
  detector_->write(*threads[0], kX, 4, 2);
  EXPECT_FALSE(heard_.pairs.empty());
  for (ThreadId id = 1; id <= 5000; ++id) {
    detector_->exit(*threads[id - 1]);
    detector_->join(*main_, id);
  }
  heard_.pairs.clear();
  detector_->write(*main_, kX, 4, 3);
  EXPECT_TRUE(heard_.pairs.empty());
}

// The thread's time runs out every few releases; it must neither lose the races with its earlier life nor make any
// with it.
TEST_F(DetectorTest, TimeThatRunsOutLosesNothing) {
  Options options;
  options.time_limit = 5;
  start(options);
  Thread* a = detector_->fork(*main_, 1);
  Thread* b = detector_->fork(*main_, 2);
  for (Address i = 0; i < 1000; ++i) {
    detector_->write(*a, kX, 4, 1);
    detector_->write(*a, kX + 64 + i % 16 * 4, 4, 1);
    detector_->semaphore_post(*a, 0x90);
  }
  EXPECT_TRUE(heard_.pairs.empty());
  detector_->write(*b, kX + 64, 4, 2);
  ASSERT_FALSE(heard_.pairs.empty());
  EXPECT_EQ(heard_.pairs[0].earlier.thread, 1u);
  heard_.pairs.clear();
  detector_->semaphore_wait(*b, 0x90);
  detector_->write(*b, kX, 4, 2);
  EXPECT_TRUE(heard_.pairs.empty());
}

// It runs out with the release that begins a segment; what is read and written in that is an increment.
TEST_F(DetectorTest, TimeThatRunsOutDoesNotEndASegment) {
  for (ClockValue limit = 3; limit < 8; ++limit) {
    Options options;
    options.time_limit = limit;
    options.spin = true;
    options.handover = false;
    heard_ = {};
    start(options);
    Thread* a = detector_->fork(*main_, 1);
    Thread* b = detector_->fork(*main_, 2);
    Thread* c = detector_->fork(*main_, 3);
    const auto store = [&](Thread& thread, Address address) {
      detector_->atomic(thread, address, 8, 1,
                        [] { return Detector::AtomicOutcome{EventKind::kAtomicStore, MemoryOrder::kRelease}; });
    };
    store(*a, kX + 64);
    store(*a, kX + 72);
    store(*b, kX);
    detector_->access(*a, AccessKind::kRead, kX, 1, StackId{2}, true);
    detector_->write(*a, kX, 1, 3);
    detector_->spin_read(*c, kX, 1, 4);
    detector_->spin_leave(*c);
    heard_.pairs.clear();
    detector_->read(*c, kX + 3, 1, 5);
    EXPECT_TRUE(heard_.pairs.empty()) << limit;
  }
}

TEST_F(DetectorTest, CollectionsKeepWhatIsKnown) {
  start();
  Thread* a = detector_->fork(*main_, 1);
  Thread* b = detector_->fork(*main_, 2);
  for (Address i = 0; i < 1000; ++i) detector_->write(*a, kX + i * 4, 4, 1);
  detector_->request_collection();
  detector_->write(*a, kX + 8000, 4, 1);
  EXPECT_EQ(detector_->statistics().collections, 1u);
  EXPECT_TRUE(detector_->check_invariants());
  for (Address i = 0; i < 1000; ++i) detector_->read(*b, kX + i * 4, 4, 2);
  EXPECT_EQ(heard_.pairs.size(), 1000u);
}

TEST_F(DetectorTest, ARangeCostsItsCellsNotItsPast) {
  start();
  Thread* a = detector_->fork(*main_, 1);
  detector_->write(*a, kX + 3, 100000, 1);
  const uint64_t histories = detector_->statistics().histories;
  EXPECT_LE(histories, 4u);
  detector_->write(*main_, kX + 50000, 1, 2);
  EXPECT_EQ(heard_.pairs.size(), 1u);
}

TEST_F(DetectorTest, MoreAccessesThanAreKeptAreCounted) {
  Options options;
  options.history_cap = 4;
  start(options);
  for (Address lock = kMutex; lock < kMutex + 10; ++lock) {
    detector_->lock_acquire(*main_, lock, LockMode::kExclusive, 1);
    detector_->read(*main_, kX, 4, 1);
    detector_->lock_release(*main_, lock, LockMode::kExclusive);
  }
  EXPECT_EQ(detector_->statistics().accesses_forgotten, 6u);
  EXPECT_EQ(detector_->accesses_at(kX), 4u);
}

// In whatever order they are given up, and whatever a collection moves meanwhile.
TEST_F(DetectorTest, WhatIsLeftOfTheLocksIsTheSameHoweverTheOthersWent) {
  constexpr Address kLocks[] = {kMutex, kMutex + 64, kMutex + 128};
  constexpr unsigned kOrders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto& order : kOrders) {
    for (const bool collects : {false, true}) {
      start();
      Thread* a = detector_->fork(*main_, 1);
      Thread* b = detector_->fork(*main_, 2);
      for (const Address lock : kLocks) detector_->lock_acquire(*a, lock, LockMode::kExclusive, 1);
      unsigned held = 0b111;
      for (const unsigned given : order) {
        if (collects) detector_->request_collection();
        detector_->lock_release(*a, kLocks[given], LockMode::kExclusive);
        held &= ~(1u << given);
        for (unsigned i = 0; i < 3; ++i) {
          if ((held >> i & 1) != 0) detector_->lock_acquire(*b, kLocks[i], LockMode::kExclusive, 1);
        }
        EXPECT_EQ(a->lockset, b->lockset) << held;
        for (unsigned i = 3; i-- > 0;) detector_->lock_release(*b, kLocks[i], LockMode::kExclusive);
        EXPECT_EQ(b->lockset, kNoLocks);
      }
    }
  }
}

// A thread that is made of what another left knows nothing of what that one knew.
TEST_F(DetectorTest, ANewThreadKnowsNoLocksOfTheOneBefore) {
  start();
  auto write_locked = [&](Thread& thread) {
    detector_->lock_acquire(thread, kMutex, LockMode::kExclusive, 1);
    detector_->write(thread, kX, 8, 1);
    detector_->lock_release(thread, kMutex, LockMode::kExclusive);
  };
  for (ThreadId id = 1; id < 10; ++id) {
    Thread* child = detector_->fork(*main_, id);
    detector_->detach(*main_, id);
    write_locked(*child);
    detector_->exit(*child);
  }
  EXPECT_TRUE(heard_.pairs.empty());
}

// Whoever wants a thread to look again spoils its check at any time; what it remembers is its own all the same.
TEST_F(DetectorTest, AShadowWordIsTheThreadsOwnWhenItsCheckIsSpoilt) {
  for (const bool beside : {false, true}) {
    heard_ = {};
    start();
    Thread* a = detector_->fork(*main_, 1);
    Thread* b = detector_->fork(*main_, 2);
    if (beside) detector_->read(*b, kX, 8, 1);
    detector_->read(*a, kX, 8, 1);
    detector_->happens_before(*a, 0x50);  // ends the segment
    detector_->read(*a, kX + 8, 8, 1);
    a->fast.write.store(ShadowWord::nobody().bits());
    detector_->read(*a, kX, 8, 2);
    detector_->write(*b, kX, 8, 3);
    ASSERT_EQ(heard_.pairs.size(), 1u);
    EXPECT_EQ(heard_.pairs[0].earlier.thread, 1u);
    EXPECT_EQ(heard_.pairs[0].earlier.where, 2u);
  }
}

// What many threads read again and again has a shadow word for each of them, also after it was written in between, and
// no write before them is forgotten.
TEST_F(DetectorTest, EachOfManyReadersIsKept) {
  constexpr ThreadId kThreads = 40;
  constexpr Address kDone = 0x5000, kWritten = 0x6000;
  auto own = [](ThreadId id) { return Address{0x7000} + id * 64; };
  for (ThreadId left_out = 1; left_out <= kThreads; ++left_out) {
    heard_ = {};
    start();
    std::vector<Thread*> readers;
    for (ThreadId id = 1; id <= kThreads; ++id) readers.push_back(detector_->fork(*main_, id));
    Thread* late = detector_->fork(*main_, kThreads + 1);
    for (int round = 0; round < 3; ++round) {
      detector_->write(*main_, kX, 8, 1);
      detector_->happens_before(*main_, kWritten);
      for (Thread* reader : readers) detector_->happens_after(*reader, kWritten);
      for (int again = 0; again < 3; ++again) {
        for (Thread* reader : readers) {
          detector_->read(*reader, kX, 8, 2);
          detector_->happens_before(*reader, own(reader->id));  // ends the segment
        }
      }
      EXPECT_EQ(detector_->accesses_at(kX), kThreads + 1);
      for (Thread* reader : readers) {
        if (round == 2 && reader->id == left_out) continue;
        detector_->happens_before(*reader, kDone);
      }
      detector_->happens_after(*main_, kDone);
    }
    EXPECT_TRUE(heard_.pairs.empty());
    detector_->read(*late, kX, 8, 3);
    ASSERT_EQ(heard_.pairs.size(), 1u);
    EXPECT_EQ(heard_.pairs[0].earlier.thread, 0u);
    heard_ = {};
    detector_->write(*main_, kX, 8, 4);
    ASSERT_EQ(heard_.pairs.size(), 2u);  // with the read that was left out, and with the late one
    for (const RacingPair& pair : heard_.pairs) {
      EXPECT_TRUE(pair.earlier.thread == left_out || pair.earlier.thread == kThreads + 1);
    }
  }
}

// Objects that come and go at the same addresses, so many that their table grows, and shrinks again: each is found, and
// has no past when its memory is new.
TEST_F(DetectorTest, ObjectsAreFoundHoweverManyCameAndWent) {
  start();
  Thread* other = detector_->fork(*main_, 1);
  constexpr Address kObjects = 0x4000000;
  constexpr unsigned kCount = 3000;
  auto tag = [](unsigned i) { return kObjects + i * 8; };
  for (unsigned round = 0; round < 6; ++round) {
    heard_.pairs.clear();
    detector_->allocate(*main_, kObjects, kCount * 8);
    for (unsigned i = 0; i < kCount; ++i) {
      detector_->allocate(*main_, tag(i) + 0x1000000, 8);
      detector_->write(*main_, tag(i) + 0x1000000, 8, 1);
      detector_->happens_before(*main_, tag(i));
    }
    const unsigned kept = round % 2 == 0 ? kCount : 5;
    detector_->free(*main_, tag(kept), (kCount - kept) * 8, 2);
    if (round == 3) detector_->request_collection();
    for (unsigned i = 0; i < kept; ++i) {
      detector_->happens_after(*other, tag(i));
      detector_->write(*other, tag(i) + 0x1000000, 8, 3);
    }
    EXPECT_TRUE(heard_.pairs.empty());
    if (kept == kCount) continue;
    detector_->happens_after(*other, tag(kCount - 1));
    detector_->write(*other, tag(kCount - 1) + 0x1000000, 8, 3);
    EXPECT_FALSE(heard_.pairs.empty());
  }
}

// What is read under many locks has a shadow word for each of them, however often it is read.
TEST_F(DetectorTest, AReadUnderOneLockDoesNotStandForThatUnderAnother) {
  constexpr unsigned kLocks = 6;
  auto lock = [](unsigned i) { return kMutex + i * 64; };
  for (unsigned left_out = 0; left_out < kLocks; ++left_out) {
    heard_ = {};
    start();
    Thread* a = detector_->fork(*main_, 1);
    Thread* b = detector_->fork(*main_, 2);
    for (unsigned i = 0; i < 3 * kLocks; ++i) {
      detector_->lock_acquire(*a, lock(i % kLocks), LockMode::kExclusive, 0);
      detector_->read(*a, kX, 8, 1);
      detector_->lock_release(*a, lock(i % kLocks), LockMode::kExclusive);
    }
    for (unsigned i = 0; i < kLocks; ++i) {
      detector_->lock_acquire(*a, lock(i), LockMode::kExclusive, 0);
      detector_->lock_release(*a, lock(i), LockMode::kExclusive);
      if (i != left_out) detector_->lock_acquire(*b, lock(i), LockMode::kExclusive, 0);
    }
    detector_->write(*b, kX, 8, 2);
    ASSERT_EQ(heard_.pairs.size(), 1u) << left_out;
    EXPECT_EQ(heard_.pairs[0].standing, Standing::kPredicted);
  }
}

// The state machines' granules have histories where the other engines have shadow words: nothing is to be stored there
// by the short way, also when somebody noted the time.
TEST_F(DetectorTest, AStateMachineHasNoShadowWords) {
  for (const EngineKind engine : {EngineKind::kMsmShort, EngineKind::kMsmLong, EngineKind::kHybrid}) {
    Options options;
    options.engine = engine;
    start(options);
    Thread* a = detector_->fork(*main_, 1);
    detector_->use_epoch(*a);
    EXPECT_EQ(a->words_pack, engine == EngineKind::kHybrid);
  }
}

// Who waits for a count is ordered after all that added to it since it was last set, and no longer.
TEST_F(DetectorTest, AnIncrementContinuesWhatAnotherThreadWroteUnlessItWasSetInBetween) {
  constexpr Address kY = kX + 64;
  constexpr Address kZ = kX + 128;
  enum class B { kAdds, kSets, kSetBefore };
  for (const B first : {B::kAdds, B::kSets, B::kSetBefore}) {
    heard_ = {};
    start();
    Thread* a = detector_->fork(*main_, 1);
    Thread* b = detector_->fork(*main_, 2);
    Thread* c = detector_->fork(*main_, 3);
    auto write_locked = [&](Thread& thread, bool adds) {
      detector_->lock_acquire(thread, kMutex, LockMode::kExclusive, 0);
      detector_->read(thread, kZ, 8, 1);
      detector_->access(thread, AccessKind::kWrite, kX, 8, StackId{2}, adds);
      detector_->lock_release(thread, kMutex, LockMode::kExclusive);
    };
    detector_->write(*a, kY, 8, 3);
    if (first == B::kSetBefore) write_locked(*b, false);
    write_locked(*a, false);
    if (first != B::kSetBefore) write_locked(*b, first == B::kAdds);
    write_locked(*b, true);
    detector_->spin_read(*c, kX, 8, 4);
    detector_->spin_leave(*c);
    detector_->write(*c, kY, 8, 5);
    EXPECT_EQ(heard_.pairs.size(), first == B::kSets ? 1u : 0u);
  }
}

// Two variables of one granule, each under one of two locks here and under both there.
TEST_F(DetectorTest, NeighboursUnderTwoLocksKeepBoth) {
  constexpr Address kOther = kMutex + 64;
  for (const bool mutex_first : {true, false}) {
    heard_ = {};
    start();
    Thread* a = detector_->fork(*main_, 1);
    Thread* b = detector_->fork(*main_, 2);
    auto write_under = [&](Thread& thread, Address lock, Address at) {
      detector_->lock_acquire(thread, lock, LockMode::kExclusive, 1);
      detector_->access(thread, AccessKind::kAtomicRead, lock, 1, StackId{5});
      if (at != 0) detector_->access(thread, AccessKind::kWrite, at, 4, StackId{2}, true);
    };
    auto first = [&] {
      write_under(*a, kMutex, 0);
      write_under(*a, kOther, kX);
      detector_->access(*a, AccessKind::kWrite, kX + 4, 4, StackId{3}, true);
      detector_->lock_release(*a, kOther, LockMode::kExclusive);
      detector_->lock_release(*a, kMutex, LockMode::kExclusive);
    };
    auto second = [&] {
      write_under(*b, kMutex, kX);
      detector_->lock_release(*b, kMutex, LockMode::kExclusive);
      write_under(*b, kOther, kX + 4);
      detector_->lock_release(*b, kOther, LockMode::kExclusive);
    };
    if (mutex_first) {
      first();
      second();
    } else {
      second();
      first();
    }
    EXPECT_TRUE(heard_.pairs.empty()) << mutex_first;
  }
}

// Read by more threads than have room in the granule. What a thread remembers of its list must not outlive the memory.
TEST_F(DetectorTest, WhatAThreadKnowsOfAListEndsWithTheMemory) {
  for (const unsigned renewed : {8u, 4u}) {
    heard_ = {};
    start();
    Thread* readers[6];
    for (unsigned i = 0; i < 6; ++i) readers[i] = detector_->fork(*main_, i + 1);
    // Under two locks in turn, so that it is a list, and not rows.
    for (const Address lock : {kMutex, kMutex + 64}) {
      detector_->lock_acquire(*readers[0], lock, LockMode::kExclusive, 1);
      detector_->read(*readers[0], kX, 8, 1);
      if (lock == kMutex) detector_->lock_release(*readers[0], lock, LockMode::kExclusive);
    }
    for (Thread* reader : readers) detector_->read(*reader, kX, 8, 1);
    ASSERT_GT(detector_->accesses_at(kX), 3u);
    for (int i = 0; i < 2; ++i) detector_->read(*readers[0], kX, 8, 1);
    detector_->allocate(*readers[0], kX, renewed);
    detector_->read(*readers[0], kX, 8, 2);
    detector_->write(*readers[1], kX, 4, 3);
    ASSERT_EQ(heard_.pairs.size(), 1u);
    EXPECT_EQ(heard_.pairs[0].size, 4u);
  }
}

// More locksets than have a number of their own: a write under one lock does not make one under another superfluous.
TEST_F(DetectorTest, LocksetsWithoutANumberAreToldApart) {
  start();
  Thread* a = detector_->fork(*main_, 1);
  Thread* b = detector_->fork(*main_, 2);
  constexpr Address kLocks = 300;
  auto write_under = [&](Thread& thread, Address lock, Address at) {
    detector_->lock_acquire(thread, kMutex + lock * 64, LockMode::kExclusive, 0);
    detector_->write(thread, at, 8, 1);
    detector_->lock_release(thread, kMutex + lock * 64, LockMode::kExclusive);
  };
  for (Address lock = 0; lock < kLocks; ++lock) write_under(*a, lock, kX + 8 + lock * 8);
  write_under(*a, kLocks - 2, kX);
  write_under(*a, kLocks - 1, kX);
  EXPECT_EQ(detector_->accesses_at(kX), 2u);
  write_under(*b, kLocks - 1, kX);
  ASSERT_EQ(heard_.pairs.size(), 1u);
  EXPECT_EQ(heard_.pairs[0].standing, Standing::kPredicted);
}

// Bytes of one granule that one thread accesses from many places at one time: one shadow word, and each byte has its
// place.
TEST_F(DetectorTest, EachByteKeepsItsPlace) {
  start();
  Thread* reader = detector_->fork(*main_, 1);
  Thread* writer = detector_->fork(*main_, 2);
  Thread* other = detector_->fork(*main_, 3);
  for (unsigned byte = 0; byte < 6; ++byte) detector_->read(*reader, kX + byte, 1, 10 + byte / 2 * 2);
  for (unsigned byte = 0; byte < 6; ++byte) detector_->read(*other, kX + byte, 1, 20 + byte);
  EXPECT_LE(detector_->accesses_at(kX), 3u);
  detector_->write(*writer, kX + 3, 1, 1);
  ASSERT_EQ(heard_.pairs.size(), 2u);
  EXPECT_EQ(heard_.pairs[0].earlier.where + heard_.pairs[1].earlier.where, 12u + 23u);
  heard_.pairs.clear();
  detector_->write(*writer, kX, 8, 2);
  std::set<std::tuple<StackId, Address, unsigned>> found;
  for (const RacingPair& pair : heard_.pairs) found.insert({pair.earlier.where, pair.address, pair.size});
  const std::set<std::tuple<StackId, Address, unsigned>> wanted = {{10, kX, 2},     {12, kX + 2, 1}, {14, kX + 4, 2},
                                                                   {20, kX, 1},     {21, kX + 1, 1}, {22, kX + 2, 1},
                                                                   {24, kX + 4, 1}, {25, kX + 5, 1}};
  EXPECT_EQ(found, wanted);
}

TEST_F(DetectorTest, NeighboursDoNotPushEachOtherOut) {
  start();
  Thread* first = detector_->fork(*main_, 1);
  detector_->write(*first, kX + 4, 4, 1);
  for (ThreadId id = 2; id <= 500; ++id) detector_->read(*detector_->fork(*main_, id), kX, 4, id);
  EXPECT_TRUE(heard_.pairs.empty());
  detector_->write(*main_, kX + 4, 4, 2);
  EXPECT_EQ(heard_.pairs.size(), 1u);
}

// When not even clocks fit, races are not reported any more: they might be false.
TEST(DetectorMemoryTest, WithoutMemoryForClocksNothingFalseIsReported) {
  const TestingArena memory(size_t{64} << 20);
  Heard heard;
  const auto detector = std::make_unique<Detector>();
  ASSERT_TRUE(detector->init({}, listen(heard)));
  Thread* main = detector->add_root(0);
  Thread* a = detector->fork(*main, 1);
  ASSERT_NE(a, nullptr);
  for (Address i = 0; i < 2000000; ++i) {
    detector->write(*main, 0x4000000, 4, 1);
    detector->happens_before(*main, 0x10000000 + i * 8);
  }
  EXPECT_FALSE(heard.notes.empty());
  EXPECT_EQ(std::set<std::string>(heard.notes.begin(), heard.notes.end()).size(), heard.notes.size());
  detector->happens_after(*a, 0x10000000 + 1999999 * 8);
  detector->write(*a, 0x4000000, 4, 2);
  EXPECT_TRUE(heard.pairs.empty());
}

}  // namespace
}  // namespace norn
