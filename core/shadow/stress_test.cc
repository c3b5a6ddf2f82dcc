// Real threads in the core at once. The programs are such that the set of racy words does not depend on the
// schedule (locks only choose between observed and predicted), so what the threads find together must be what a run
// of the same programs one event after the other finds.
#include <gtest/gtest.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <barrier>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "core/detector.h"
#include "core/testing/detector_probe.h"
#include "core/testing/test_arena.h"
#include "core/testing/test_listener.h"

namespace norn {
namespace {

constexpr Address kWords = 0x100000;
constexpr Address kLocks = 0x900000;
constexpr Address kBarrier = 0xa00000;
constexpr unsigned kThreads = 6;
constexpr unsigned kLockCount = 3;

struct Step {
  enum Kind { kRead, kWrite, kAtomic, kLock, kUnlock, kBarrierWait } kind;
  Address address;
  uint32_t size;
};
using Program = std::vector<Step>;

std::vector<Program> make_programs(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Program> programs(kThreads);
  const unsigned words = 64 + random() % 400;
  for (int phase = 0; phase < 3; ++phase) {
    for (Program& program : programs) {
      for (unsigned n = 0; n < 400; ++n) {
        const Address at = kWords + random() % words * 4;
        const unsigned what = random() % 16;
        const uint32_t size = 1u << random() % 4;
        if (what < 9) {
          program.push_back({Step::kRead, at, size});
        } else if (what < 10) {
          program.push_back({Step::kWrite, at, size});
        } else if (what < 12) {
          program.push_back({Step::kAtomic, at + 0x40000, 4});
        } else {
          // Each word has a lock that most accesses to it respect.
          const Address lock = kLocks + at / 4 % kLockCount * 64;
          program.push_back({Step::kLock, lock, 0});
          for (unsigned k = 0; k < 3; ++k) {
            program.push_back({random() % 2 == 0 ? Step::kRead : Step::kWrite, at + 0x80000, 4});
          }
          program.push_back({Step::kUnlock, lock, 0});
        }
      }
      program.push_back({Step::kBarrierWait, kBarrier, 0});
    }
  }
  return programs;
}

struct Run {
  Run(EngineKind engine, bool handover) {
    Options options;
    options.engine = engine;
    options.log2_histories = 8;  // collections happen all the time
    options.handover = handover;
    Listener listener;
    listener.context = this;
    listener.pair = [](void* context, const RacingPair& pair) {
      auto* run = static_cast<Run*>(context);
      const std::lock_guard lock(run->mutex);
      for (Address a = pair.address; a < pair.address + pair.size; ++a) run->bytes.insert(a);
    };
    EXPECT_TRUE(detector->init(options, listener));
    main = detector->add_root(0);
    for (ThreadId id = 1; id <= kThreads; ++id) threads.push_back(detector->fork(*main, id));
    detector->barrier_init(*main, kBarrier, kThreads);
  }

  // Everything but waiting.
  void step(unsigned t, const Step& s) {
    Thread& thread = *threads[t];
    switch (s.kind) {
      case Step::kRead:
        detector->read(thread, s.address, s.size, t + 1);
        break;
      case Step::kWrite:
        detector->write(thread, s.address, s.size, t + 1);
        break;
      case Step::kAtomic:
        detector->atomic(thread, s.address, s.size, t + 1,
                         [] { return Detector::AtomicOutcome{EventKind::kAtomicRmw, MemoryOrder::kRelaxed}; });
        break;
      case Step::kLock:
        detector->lock_acquire(thread, s.address, LockMode::kExclusive, t + 1);
        break;
      case Step::kUnlock:
        detector->lock_release(thread, s.address, LockMode::kExclusive);
        break;
      case Step::kBarrierWait:
        break;
    }
  }

  TestingArena memory;
  std::unique_ptr<Detector> detector = std::make_unique<Detector>();
  Thread* main = nullptr;
  std::vector<Thread*> threads;
  std::mutex mutex;
  std::set<Address> bytes;
};

std::set<Address> run_one_by_one(const std::vector<Program>& programs, EngineKind engine, bool handover) {
  Run run(engine, handover);
  std::vector<size_t> at(kThreads, 0);
  for (bool more = true; more;) {
    more = false;
    // Up to the barrier, a critical section at a time, in turn.
    for (unsigned t = 0; t < kThreads; ++t) {
      bool locked = false;
      while (at[t] < programs[t].size() && programs[t][at[t]].kind != Step::kBarrierWait) {
        const Step& s = programs[t][at[t]++];
        run.step(t, s);
        locked = s.kind == Step::kLock || (locked && s.kind != Step::kUnlock);
        more = true;
        if (!locked) break;
      }
    }
    if (more) continue;
    if (at[0] == programs[0].size()) break;
    for (unsigned t = 0; t < kThreads; ++t) run.detector->barrier_enter(*run.threads[t], kBarrier);
    for (unsigned t = 0; t < kThreads; ++t) {
      run.detector->barrier_leave(*run.threads[t], kBarrier);
      ++at[t];
    }
    more = true;
  }
  return run.bytes;
}

std::set<Address> run_at_once(const std::vector<Program>& programs, EngineKind engine, bool handover) {
  Run run(engine, handover);
  std::mutex locks[kLockCount];
  std::barrier barrier(kThreads);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (const Step& s : programs[t]) {
        if (s.kind == Step::kLock) locks[(s.address - kLocks) / 64].lock();
        if (s.kind == Step::kBarrierWait) {
          run.detector->barrier_enter(*run.threads[t], kBarrier);
          barrier.arrive_and_wait();
          run.detector->barrier_leave(*run.threads[t], kBarrier);
        }
        run.step(t, s);
        if (s.kind == Step::kUnlock) locks[(s.address - kLocks) / 64].unlock();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(run.detector->check_invariants());
  EXPECT_GT(run.detector->statistics().collections, 0u);
  return run.bytes;
}

class StressTest : public testing::TestWithParam<EngineKind> {};

TEST_P(StressTest, ThreadsAtOnceFindWhatOneByOneFinds) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const std::vector<Program> programs = make_programs(seed);
    const std::set<Address> expected = run_one_by_one(programs, GetParam(), false);
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(run_at_once(programs, GetParam(), false), expected) << "seed " << seed;
  }
}

// What is handed over depends on who came first.
TEST_P(StressTest, ThreadsAtOnceFindNoMoreWhereLocksHandOver) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const std::vector<Program> programs = make_programs(seed);
    const std::set<Address> all = run_one_by_one(programs, GetParam(), false);
    const std::set<Address> found = run_at_once(programs, GetParam(), true);
    EXPECT_TRUE(std::includes(all.begin(), all.end(), found.begin(), found.end())) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Hybrid, StressTest, testing::Values(EngineKind::kHybrid));

// Words that all have read, so that their reads are in rows. Then one thread reads each, so many at once, while another
// writes it. Gives how many of those races were not found.
size_t read_while_another_writes(unsigned writer, unsigned at_once) {
  constexpr Address kCount = 4096;
  Run run(EngineKind::kHybrid, false);
  for (unsigned t = 0; t < kThreads; ++t) {
    for (Address i = 0; i < kCount; ++i) run.step(t, {Step::kRead, kWords + i * 8, 8});
  }
  for (unsigned t = 0; t < kThreads; ++t) run.detector->barrier_enter(*run.threads[t], kBarrier);
  for (unsigned t = 0; t < kThreads; ++t) run.detector->barrier_leave(*run.threads[t], kBarrier);
  std::barrier together(2);
  auto go = [&](unsigned t, Step::Kind kind, unsigned words) {
    run.step(t, {kind, kWords - 8 - t * 8, 8});  // what it does next is not the first at its time
    for (Address i = 0; i < kCount; i += words) {
      if (i % 64 == 0) together.arrive_and_wait();
      run.step(t, {kind, kWords + i * 8, words * 8});
    }
  };
  std::thread reader([&] { go(0, Step::kRead, at_once); });
  go(writer, Step::kWrite, 1);
  reader.join();
  EXPECT_TRUE(run.detector->check_invariants());
  return kCount - run.bytes.size() / 8;
}

// However close they come to each other, one of the two finds the other.
TEST(StressReadersTest, AReadAndAWriteAtOnceFindEachOther) {
  for (unsigned round = 0; round < 24; ++round) {
    const unsigned at_once = round % 2 == 0 ? 1 : 4u << round % 3;
    ASSERT_EQ(read_while_another_writes(1 + round % (kThreads - 1), at_once), 0u) << round;
  }
}

// A load of a value whose message is known takes no lock; whoever sees a new value must be ordered after its message,
// also if it looks before the message is there.
TEST(StressAtomicsTest, WhoSeesAValueKnowsItsMessage) {
  const TestingArena memory;
  const auto detector = std::make_unique<Detector>();
  std::atomic<int> pairs{0};
  ASSERT_TRUE(detector->init({}, listener_counting(pairs)));
  Thread* main = detector->add_root(0);
  Thread* writer = detector->fork(*main, 1);
  Thread* reader = detector->fork(*main, 2);
  constexpr unsigned kMessages = 20;
  std::atomic<unsigned> value{0};
  std::atomic<unsigned> newest_seen{0};
  std::atomic<unsigned> done{0};
  const Address flag = kLocks;
  auto data_of = [](unsigned message) { return kWords + message * 8; };
  std::thread other([&] {
    for (unsigned seen = 0; seen < kMessages;) {
      value.wait(seen);
      detector->atomic_load(*reader, flag, 4, MemoryOrder::kAcquire, 2, [&] {
        seen = value.load();
        newest_seen.store(seen);
        newest_seen.notify_one();
      });
      detector->read(*reader, data_of(seen), 8, 3);
      done.store(seen);
      done.notify_one();
    }
  });
  for (unsigned message = 1; message <= kMessages; ++message) {
    detector->write(*writer, data_of(message), 8, 4);
    detector->atomic(*writer, flag, 4, 5, [&] {
      value.store(message);
      value.notify_one();
      newest_seen.wait(message - 1);
      return Detector::AtomicOutcome{EventKind::kAtomicStore, MemoryOrder::kRelease};
    });
    done.wait(message - 1);
  }
  other.join();
  EXPECT_EQ(pairs.load(), 0);
}

// The same of a writer that waits for nobody: what comes with a value is not that of the one before or after it.
TEST(StressAtomicsTest, WhoSeesAValueOfManyKnowsItsMessage) {
  const TestingArena memory;
  const auto detector = std::make_unique<Detector>();
  std::atomic<int> pairs{0};
  ASSERT_TRUE(detector->init({}, listener_counting(pairs)));
  Thread* main = detector->add_root(0);
  Thread* writer = detector->fork(*main, 1);
  Thread* reader = detector->fork(*main, 2);
  constexpr unsigned kMessages = 20000;
  std::atomic<unsigned> value{0};
  const Address flag = kLocks;
  auto data_of = [](unsigned message) { return kWords + Address{message} * 8; };
  std::thread other([&] {
    for (unsigned seen = 0; seen < kMessages;) {
      detector->atomic_load(*reader, flag, 4, MemoryOrder::kAcquire, 2, [&] { seen = value.load(); });
      if (seen != 0) detector->read(*reader, data_of(seen), 8, 3);
    }
  });
  for (unsigned message = 1; message <= kMessages; ++message) {
    detector->write(*writer, data_of(message), 8, 4);
    detector->atomic(*writer, flag, 4, 5, [&] {
      value.store(message, std::memory_order_release);
      return Detector::AtomicOutcome{EventKind::kAtomicStore, MemoryOrder::kRelease};
    });
  }
  other.join();
  EXPECT_EQ(pairs.load(), 0);
}

// With a barrier that all threads pass, threads that hold no lock put their words into granules without the granules'
// (GranuleStep::put_unlocked()).
class StressUnlockedTest : public testing::Test {
 protected:
  void SetUp() override {
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) != 0) {
      GTEST_SKIP() << "this system has no membarrier";
    }
    core_barrier = [] { syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0); };
  }
  void TearDown() override { core_barrier = nullptr; }
};

// Two threads renew their words of the same granules at once: of two updates that overlap one may be lost, and no more.
TEST_F(StressUnlockedTest, FewAreLost) {
  constexpr unsigned kGranules = 4096;
  constexpr unsigned kRounds = 10;
  unsigned lost = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    const TestingArena memory;
    const auto detector = std::make_unique<Detector>();
    std::vector<std::atomic<bool>> raced(kGranules);
    Listener listener;
    listener.context = &raced;
    listener.pair = [](void* context, const RacingPair& pair) {
      (*static_cast<std::vector<std::atomic<bool>>*>(context))[(pair.address - kWords) / 8].store(true);
    };
    ASSERT_TRUE(detector->init({}, listener));
    Thread* main = detector->add_root(0);
    Thread* first = detector->fork(*main, 1);
    Thread* second = detector->fork(*main, 2);
    for (unsigned i = 0; i < kGranules; ++i) detector->write(*first, kWords + Address{i} * 8, 8, 1);
    detector->happens_before(*first, kLocks);
    detector->happens_after(*second, kLocks);
    std::barrier begin(2);
    const auto write_all = [&](Thread& thread, StackId where) {
      begin.arrive_and_wait();
      for (unsigned i = 0; i < kGranules; ++i) detector->write(thread, kWords + Address{i} * 8, 8, where);
    };
    std::thread other([&] { write_all(*second, 2); });
    write_all(*first, 3);
    other.join();
    for (const std::atomic<bool>& one : raced) lost += one.load() ? 0 : 1;
  }
  std::printf("lost without the lock: %u of %u granules\n", lost, kGranules * kRounds);
  EXPECT_LT(lost, kGranules * kRounds / 20);
}

// Who begins to wait for a flag at the moment at which it is set is ordered after that.
TEST_F(StressUnlockedTest, NoFlagIsLost) {
  constexpr unsigned kFlags = 5000;
  const TestingArena memory;
  const auto detector = std::make_unique<Detector>();
  std::atomic<int> pairs{0};
  ASSERT_TRUE(detector->init({}, listener_counting(pairs)));
  Thread* main = detector->add_root(0);
  Thread* writer = detector->fork(*main, 1);
  Thread* waiter = detector->fork(*main, 2);
  const auto flag_of = [](unsigned i) { return kWords + Address{i} * 8; };
  const auto data_of = [](unsigned i) { return kWords + 0x100000 + Address{i} * 8; };
  for (unsigned i = 0; i < kFlags; ++i) detector->write(*writer, flag_of(i), 8, 1);
  detector->happens_before(*writer, kLocks);
  detector->happens_after(*waiter, kLocks);
  std::atomic<unsigned> set{0};
  std::atomic<unsigned> seen{0};
  std::thread other([&] {
    for (unsigned i = 0; i < kFlags; ++i) {
      do {
        detector->spin_read(*waiter, flag_of(i), 8, 2, set.load() <= i);
      } while (set.load() <= i);
      detector->spin_read(*waiter, flag_of(i), 8, 2);
      detector->spin_leave(*waiter);
      detector->read(*waiter, data_of(i), 8, 3);
      seen.store(i + 1);
    }
  });
  for (unsigned i = 0; i < kFlags; ++i) {
    while (seen.load() + 1 < i) {
    }
    detector->write(*writer, data_of(i), 8, 4);
    detector->write(*writer, flag_of(i), 8, 5);
    set.store(i + 1);
  }
  other.join();
  EXPECT_EQ(pairs.load(), 0);
}

// A thread goes on with granules that it owns (core/shadow/owner_table.h) while another comes to each of them, and
// lists are collected all the time: whatever the owner is about to do, the other's write is found.
TEST_F(StressUnlockedTest, WhoComesToOwnedGranulesIsFound) {
  constexpr unsigned kGranules = 500;
  const TestingArena memory;
  const auto detector = std::make_unique<Detector>();
  std::vector<std::atomic<bool>> raced(kGranules);
  Listener listener;
  listener.context = &raced;
  listener.pair = [](void* context, const RacingPair& pair) {
    (*static_cast<std::vector<std::atomic<bool>>*>(context))[(pair.address - kWords) / 8].store(true);
  };
  Options options;
  options.log2_histories = 11;
  ASSERT_TRUE(detector->init(options, listener));
  Thread* main = detector->add_root(0);
  Thread* owner = detector->fork(*main, 1);
  Thread* other = detector->fork(*main, 2);
  const auto at = [](unsigned granule, unsigned byte) { return kWords + Address{granule} * 8 + byte; };
  const auto pass_time = [&](Thread& thread, Address lock) {
    detector->lock_acquire(thread, lock, LockMode::kExclusive, 90);
    detector->lock_release(thread, lock, LockMode::kExclusive);
  };
  // Each byte is read at an epoch of its own, so that none of them fits into the granule's words.
  for (unsigned byte = 0; byte < 8; ++byte) {
    for (unsigned i = 0; i < kGranules; ++i) detector->read(*owner, at(i, byte), 1, 1 + byte);
    pass_time(*owner, kLocks);
  }
  // The owner is at the granule that the other comes to next, as long as that has not gone on.
  std::atomic<unsigned> owner_at{~0u};
  std::atomic<unsigned> other_at{0};
  std::thread comes([&] {
    for (unsigned i = 0; i < kGranules; ++i) {
      while (owner_at.load() != i) std::this_thread::yield();
      for (unsigned wait = 0; wait < i % 32 * 8; ++wait) owner_at.load();
      detector->write(*other, at(i, i % 8), 1, 30);
      if (i % 64 == 0) detector->request_collection();
      if (i % 16 == 0) pass_time(*other, kLocks + 64);
      other_at.store(i + 1);
    }
  });
  for (unsigned i = 0; i < kGranules; ++i) {
    for (unsigned round = 0; other_at.load() == i; ++round) {
      detector->read(*owner, at(i, round % 8), 1, 40);
      detector->write(*owner, at(i, (round + 3) % 8), 1, 41);
      owner_at.store(i);
      if (round % 64 == 0) pass_time(*owner, kLocks);
      if (round % 1024 == 1023) std::this_thread::yield();
    }
  }
  comes.join();
  unsigned missed = 0;
  for (const std::atomic<bool>& one : raced) missed += one.load() ? 0 : 1;
  EXPECT_EQ(missed, 0u);
  EXPECT_TRUE(detector->check_invariants());
}

// A thread goes on reading granules with lists (ShadowStore::read_in_place()) while another, which is ordered after all
// that was done before, writes to each of them, and lists are collected all the time: every write is found.
TEST_F(StressUnlockedTest, WhoWritesBesideReadsInPlaceIsFound) {
  constexpr unsigned kGranules = 500;
  const TestingArena memory;
  const auto detector = std::make_unique<Detector>();
  std::vector<std::atomic<bool>> raced(kGranules);
  Listener listener;
  listener.context = &raced;
  listener.pair = [](void* context, const RacingPair& pair) {
    (*static_cast<std::vector<std::atomic<bool>>*>(context))[(pair.address - kWords) / 8].store(true);
  };
  Options options;
  options.log2_histories = 11;
  ASSERT_TRUE(detector->init(options, listener));
  Thread* main = detector->add_root(0);
  Thread* reader = detector->fork(*main, 1);
  Thread* second = detector->fork(*main, 2);
  Thread* writer = detector->fork(*main, 3);
  const auto at = [](unsigned granule, unsigned half) { return kWords + Address{granule} * 8 + half * 4; };
  const auto pass_time = [&](Thread& thread, Address lock) {
    detector->lock_acquire(thread, lock, LockMode::kExclusive, 90);
    detector->lock_release(thread, lock, LockMode::kExclusive);
  };
  // Each half is written and read by two threads, all at epochs of their own: too much for a granule's words.
  for (const unsigned half : {0u, 1u}) {
    for (Thread* thread : {reader, second}) {
      for (unsigned i = 0; i < kGranules; ++i) detector->write(*thread, at(i, half), 4, 1 + half);
      detector->happens_before(*thread, kLocks + 128);
      for (Thread* later : {reader, second}) detector->happens_after(*later, kLocks + 128);
    }
    for (Thread* thread : {reader, second}) {
      for (unsigned i = 0; i < kGranules; ++i) detector->read(*thread, at(i, half), 4, 3 + half);
      pass_time(*thread, kLocks + 192);
    }
  }
  for (Thread* thread : {reader, second}) detector->happens_before(*thread, kLocks + 256);
  detector->happens_after(*writer, kLocks + 256);
  for (unsigned i = 0; i < kGranules; ++i) {
    const Shape shape = DetectorProbe::shape(*detector, *DetectorProbe::granule(*detector, at(i, 0)));
    ASSERT_TRUE(shape == Shape::kReadList || shape == Shape::kOverflow);
  }
  std::atomic<unsigned> reader_at{~0u};
  std::atomic<unsigned> writer_at{0};
  std::thread comes([&] {
    for (unsigned i = 0; i < kGranules; ++i) {
      while (reader_at.load() != i) std::this_thread::yield();
      for (unsigned wait = 0; wait < i % 32 * 8; ++wait) reader_at.load();
      detector->write(*writer, at(i, i % 2) + i % 4, 1, 30);
      if (i % 64 == 0) detector->request_collection();
      if (i % 16 == 0) pass_time(*writer, kLocks + 64);
      writer_at.store(i + 1);
    }
  });
  for (unsigned i = 0; i < kGranules; ++i) {
    for (unsigned round = 0; writer_at.load() == i; ++round) {
      detector->read(*reader, at(i, 0), 4, 40);
      detector->read(*reader, at(i, 1), 4, 41);
      reader_at.store(i);
      if (round % 8 == 0) pass_time(*reader, kLocks);
      if (round % 1024 == 1023) std::this_thread::yield();
    }
  }
  comes.join();
  unsigned missed = 0;
  for (const std::atomic<bool>& one : raced) missed += one.load() ? 0 : 1;
  EXPECT_EQ(missed, 0u);
  EXPECT_TRUE(detector->check_invariants());
}

// Threads come and go while others access, lock and collect: nothing may crash, hang or be reported.
TEST(StressLifeTest, ForksJoinsAndCollections) {
  const TestingArena memory;
  const auto detector = std::make_unique<Detector>();
  Options options;
  options.log2_histories = 8;
  std::atomic<int> pairs{0};
  ASSERT_TRUE(detector->init(options, listener_counting(pairs)));
  Thread* main = detector->add_root(0);
  std::atomic<ThreadId> ids{1};
  std::vector<std::thread> parents;
  std::vector<Thread*> made;
  parents.reserve(3);
  made.reserve(3);
  for (unsigned p = 0; p < 3; ++p) made.push_back(detector->fork(*main, ids++));
  for (unsigned p = 0; p < 3; ++p) {
    parents.emplace_back([&, p] {
      Thread& parent = *made[p];
      const Address own = kWords + p * 0x10000;
      for (int i = 0; i < 300; ++i) {
        detector->write(parent, own + static_cast<unsigned>(i) % 50 * 4, 4, static_cast<StackId>(i));
        const ThreadId id = ids++;
        Thread* child = detector->fork(parent, id);
        std::thread([&] {
          for (unsigned k = 0; k < 50; ++k) {
            detector->write(*child, own + k * 4, 4, k);
            detector->lock_acquire(*child, kLocks, LockMode::kShared, 0);
            detector->read(*child, kWords + 0x90000, 8, 1);
            detector->lock_release(*child, kLocks, LockMode::kShared);
          }
          detector->exit(*child);
        }).join();
        detector->join(parent, id);
      }
    });
  }
  for (std::thread& parent : parents) parent.join();
  EXPECT_EQ(pairs.load(), 0);
  EXPECT_TRUE(detector->check_invariants());
}

}  // namespace
}  // namespace norn
