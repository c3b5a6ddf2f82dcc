// Data whose reads are in rows (core/shadow/read_table.h): what each access finds there, and how long it stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "core/detector.h"
#include "core/testing/test_arena.h"
#include "core/testing/test_listener.h"

namespace norn {
namespace {

constexpr Address kX = 0x10000;
constexpr Address kElsewhere = 0x18000;
constexpr Address kMutex = 0x20000;
constexpr Address kOther = 0x20100;
constexpr Address kDone = 0x30000;
constexpr Address kGo = 0x30100;
constexpr unsigned kReaders = 6;

class ReadersTest : public testing::Test {
 protected:
  void SetUp() override { start({}); }

  void start(Options options) {
    detector_ = std::make_unique<Detector>();
    readers_.clear();
    options.handover = false;
    ASSERT_TRUE(detector_->init(options, listener_into(pairs_)));
    main_ = detector_->add_root(0);
    for (ThreadId id = 1; id <= kReaders; ++id) readers_.push_back(detector_->fork(*main_, id));
    writer_ = detector_->fork(*main_, kReaders + 1);
    late_ = detector_->fork(*main_, kReaders + 2);
  }

  // Each half from another place.
  void all_read(Address address = kX, uint32_t size = 8) {
    for (Thread* reader : readers_) detector_->read(*reader, address, size, static_cast<StackId>(address % 8 + 1));
  }
  void new_time(Thread& thread) {
    detector_->happens_before(thread, kElsewhere + thread.id * 8);
    detector_->read(thread, kElsewhere + 0x1000 + thread.id * 8, 8, 1);
  }
  void order(Thread& first, Thread& second, Address tag = kDone) {
    detector_->happens_before(first, tag);
    detector_->happens_after(second, tag);
  }
  void order_after_all(Thread& thread) {
    for (Thread* reader : readers_) detector_->happens_before(*reader, kDone);
    detector_->happens_after(thread, kDone);
  }
  void order_all_after(Thread& thread) {
    detector_->happens_before(thread, kGo);
    for (Thread* reader : readers_) detector_->happens_after(*reader, kGo);
  }
  void rmw(Thread& thread) {
    detector_->atomic(thread, kX, 8, 1,
                      [] { return Detector::AtomicOutcome{EventKind::kAtomicRmw, MemoryOrder::kRelaxed}; });
  }
  void write_under(Thread& thread, Address lock, Address address) {
    detector_->lock_acquire(thread, lock, LockMode::kExclusive, 1);
    detector_->write(thread, address, 8, 1);
    detector_->lock_release(thread, lock, LockMode::kExclusive);
  }
  void collect_fully() {
    for (int i = 0; i < 4; ++i) {
      detector_->request_collection();
      new_time(*main_);
    }
  }

  TestingArena memory_;
  std::unique_ptr<Detector> detector_;
  std::vector<RacingPair> pairs_;
  Thread* main_ = nullptr;
  std::vector<Thread*> readers_;
  Thread* writer_ = nullptr;
  Thread* late_ = nullptr;
};

TEST_F(ReadersTest, AWriteFindsEachOfThem) {
  all_read();
  EXPECT_EQ(detector_->accesses_at(kX), kReaders);
  detector_->write(*writer_, kX, 8, 1);
  EXPECT_EQ(pairs_.size(), kReaders);
}

// A thread's two reads are judged apart: a write that comes after the first, and is kept from the second by a lock,
// takes away the first alone.
TEST_F(ReadersTest, AWriteThatCoversTheFirstReadLeavesTheSecond) {
  all_read();
  order_after_all(*writer_);
  Thread& reader = *readers_[0];
  detector_->lock_acquire(reader, kMutex, LockMode::kExclusive, 1);
  detector_->read(reader, kX, 8, 2);
  detector_->lock_release(reader, kMutex, LockMode::kExclusive);
  EXPECT_EQ(detector_->accesses_at(kX), kReaders + 1);
  write_under(*writer_, kMutex, kX);
  EXPECT_TRUE(pairs_.empty());
  order(*writer_, *late_, kGo);
  detector_->write(*late_, kX, 8, 3);
  ASSERT_EQ(pairs_.size(), 1u);
  EXPECT_EQ(pairs_[0].earlier.where, 2u);
  EXPECT_EQ(pairs_[0].standing, Standing::kPredicted);
}

TEST_F(ReadersTest, AReadFindsTheWriteBeforeIt) {
  all_read();
  order_after_all(*writer_);
  detector_->write(*writer_, kX, 8, 1);
  EXPECT_TRUE(pairs_.empty());
  for (Thread* reader : readers_) new_time(*reader);
  all_read();
  EXPECT_EQ(pairs_.size(), kReaders);
}

// Many granules at once: those before and after the write are read as well.
TEST_F(ReadersTest, AReadOfManyFindsTheWriteBeforeIt) {
  constexpr uint32_t kBytes = 10 * 8;
  for (Address written = kX; written < kX + kBytes; written += 8) {
    start({});
    for (Address at = kX; at < kX + kBytes; at += 8) all_read(at);
    order_after_all(*writer_);
    detector_->write(*writer_, written, 8, 1);
    for (Thread* reader : readers_) new_time(*reader);
    pairs_.clear();
    detector_->read(*readers_[0], kX, kBytes, 1);
    ASSERT_EQ(pairs_.size(), 1u) << written;
    EXPECT_EQ(pairs_[0].address, written);
    detector_->write(*late_, kX, 4, 1);
    detector_->write(*late_, kX + kBytes - 4, 4, 1);
    const auto is_of_reader = [&](const RacingPair& pair) { return pair.earlier_at.slot == readers_[0]->slot; };
    EXPECT_EQ(std::count_if(pairs_.begin() + 1, pairs_.end(), is_of_reader), 2) << written;
  }
}

// Few go back to the others; of many readers they stay where they are.
TEST_F(ReadersTest, SomebodyWaitsForIt) {
  for (const bool many : {false, true}) {
    Options options;
    options.spin = true;
    pairs_.clear();
    start(options);
    all_read();
    if (many) {
      for (Thread* reader : readers_) {
        detector_->lock_acquire(*reader, kMutex, LockMode::kShared, 1);
        detector_->read(*reader, kX + 4, 4, 2);
        detector_->lock_release(*reader, kMutex, LockMode::kShared);
      }
    }
    detector_->spin_read(*late_, kX, 4, 1, true);
    EXPECT_EQ(detector_->accesses_at(kX), many ? 2 * kReaders : kReaders);
    new_time(*readers_[0]);
    detector_->read(*readers_[0], kX, 4, 1);
    detector_->read(*readers_[0], kX, 4, 1);
    detector_->write(*writer_, kX, 4, 1);
    EXPECT_EQ(pairs_.size(), kReaders);
    detector_->spin_read(*late_, kX, 4, 1);
    detector_->spin_leave(*late_);
    detector_->write(*late_, kX, 4, 1);
    EXPECT_EQ(pairs_.size(), 2 * kReaders);  // but not with the write that it waited for
  }
}

// The other half is read at an earlier time, from another place.
TEST_F(ReadersTest, TwoHalvesAreToldApart) {
  all_read(kX, 4);
  all_read(kX + 4, 4);
  for (Thread* reader : readers_) new_time(*reader);
  all_read(kX, 4);
  detector_->write(*writer_, kX + 4, 4, 1);
  EXPECT_EQ(pairs_.size(), kReaders);
  pairs_.clear();
  detector_->write(*late_, kX, 4, 1);
  EXPECT_EQ(pairs_.size(), kReaders);
}

// A write that makes one half superfluous leaves the other.
TEST_F(ReadersTest, AWriteOfOneHalfLeavesTheOther) {
  for (const Address half : {kX, kX + 4}) {
    pairs_.clear();
    detector_->allocate(*main_, kX, 8);
    all_read(kX, 4);
    all_read(kX + 4, 4);
    order_after_all(*writer_);
    detector_->write(*writer_, half, 4, 1);
    EXPECT_TRUE(pairs_.empty());
    detector_->write(*late_, kX == half ? kX + 4 : kX, 4, 1);
    EXPECT_EQ(pairs_.size(), kReaders);
    order(*late_, *main_, kGo);
    order(*writer_, *main_);
    order(*main_, *late_);
  }
}

// The write's lock protects it from who has the same; the reads have none.
TEST_F(ReadersTest, AWriteUnderALockLeavesReadsWithoutOne) {
  all_read();
  order_after_all(*writer_);
  write_under(*writer_, kMutex, kX);
  EXPECT_TRUE(pairs_.empty());
  write_under(*late_, kMutex, kX);
  EXPECT_EQ(pairs_.size(), kReaders);
  for (const RacingPair& pair : pairs_) EXPECT_EQ(pair.standing, Standing::kPredicted);
}

// Nearly as many as a list has room for: whichever is read again, the new time counts.
TEST_F(ReadersTest, EachReadUnderOneOfManyLocksIsRenewed) {
  constexpr unsigned kLocks = 25;
  Options options;
  options.history_cap = kReaders * kLocks + 6;
  start(options);
  const auto read_under = [&](Thread& reader, unsigned lock) {
    detector_->lock_acquire(reader, kMutex + lock * 64, LockMode::kExclusive, 1);
    detector_->read(reader, kX, 8, 1);
    detector_->lock_release(reader, kMutex + lock * 64, LockMode::kExclusive);
  };
  // Under different locks by each, so that it is not for rows.
  const auto read_under_all = [&] {
    for (Thread* reader : readers_) {
      for (unsigned lock = 0; lock < kLocks; ++lock) read_under(*reader, lock);
    }
  };
  read_under_all();
  for (unsigned lock = 0; lock < kLocks; ++lock) {
    for (Thread* reader : readers_) {
      order_after_all(*late_);
      read_under(*reader, lock);
      pairs_.clear();
      detector_->write(*late_, kX, 4, 1);
      ASSERT_EQ(pairs_.size(), 1u);
      EXPECT_EQ(pairs_[0].earlier.thread, reader->id);
      // All is as it was before.
      detector_->allocate(*late_, kX, 8);
      read_under_all();
    }
  }
}

// Three sets of locks: more than a row has room for.
TEST_F(ReadersTest, ReadsUnderSeveralLocksAreKept) {
  all_read();
  for (Thread* reader : readers_) {
    for (const Address lock : {kMutex, kOther, kMutex}) {
      detector_->lock_acquire(*reader, lock, LockMode::kExclusive, 1);
      detector_->read(*reader, kX, 8, 1);
      detector_->lock_release(*reader, lock, LockMode::kExclusive);
    }
  }
  EXPECT_EQ(detector_->accesses_at(kX), 3 * kReaders);
  write_under(*writer_, kMutex, kX);
  EXPECT_GE(pairs_.size(), kReaders);
}

// With a short history the newest stands for those under other locks, but not for what nothing protected.
TEST_F(ReadersTest, TheNewestOfReadsUnderOtherLocksIsKept) {
  Options options;
  options.superseded_cap = 2;
  start(options);
  all_read();
  for (Thread* reader : readers_) {
    for (const Address lock : {kMutex, kOther, kMutex, kOther}) {
      detector_->lock_acquire(*reader, lock, LockMode::kExclusive, 1);
      detector_->read(*reader, kX, 8, 1);
      detector_->lock_release(*reader, lock, LockMode::kExclusive);
    }
  }
  EXPECT_EQ(detector_->accesses_at(kX), 2 * kReaders);
  write_under(*writer_, kOther, kX);
  EXPECT_EQ(pairs_.size(), kReaders);  // what they read without a lock
}

// A set of locks with others added protects no less: both are kept.
TEST_F(ReadersTest, AReadUnderFewerLocksIsKept) {
  Options options;
  options.superseded_cap = 2;
  start(options);
  Thread& reader = *readers_[0];
  detector_->lock_acquire(reader, kMutex, LockMode::kExclusive, 1);
  detector_->read(reader, kX, 8, 1);
  detector_->lock_acquire(reader, kOther, LockMode::kExclusive, 1);
  detector_->read(reader, kX, 8, 2);
  detector_->lock_release(reader, kOther, LockMode::kExclusive);
  detector_->lock_release(reader, kMutex, LockMode::kExclusive);
  EXPECT_EQ(detector_->accesses_at(kX), 2u);
  write_under(*writer_, kOther, kX);
  ASSERT_EQ(pairs_.size(), 1u);
  EXPECT_EQ(pairs_[0].earlier.where, 1u);
}

// A thread that begins again is unordered with what it was before.
TEST_F(ReadersTest, WhoBeginsAgainLeavesItsReads) {
  ReleaseClock begin;
  detector_->clock_release(*main_, begin);
  all_read();
  Thread* child = detector_->fork_after(*main_, begin, 100);
  detector_->read(*child, kX, 8, 7);
  detector_->happens_before(*child, kGo);  // it has learned something, so that it is another afterwards
  detector_->begin_again(*child, begin);
  detector_->read(*child, kElsewhere, 8, 1);
  detector_->read(*child, kX, 8, 8);
  order_after_all(*child);
  pairs_.clear();
  detector_->write(*child, kX, 8, 9);
  ASSERT_EQ(pairs_.size(), 1u);
  EXPECT_EQ(pairs_[0].earlier.where, 7u);
}

// A thread whose time is used up goes on in another slot, and in a row of its own.
TEST_F(ReadersTest, WhoGoesOnInAnotherSlotHasAnotherRow) {
  Options options;
  options.time_limit = 8;
  start(options);
  all_read();
  for (Thread* reader : readers_) new_time(*reader);
  all_read();  // knows its row
  order_after_all(*writer_);
  const Slot slot = readers_[0]->slot;
  while (readers_[0]->slot == slot) new_time(*readers_[0]);
  detector_->read(*readers_[0], kX, 8, 7);
  detector_->write(*writer_, kX, 8, 1);
  ASSERT_EQ(pairs_.size(), 1u);
  EXPECT_EQ(pairs_[0].earlier.where, 7u);
}

TEST_F(ReadersTest, NewMemoryHasNoReaders) {
  all_read();
  detector_->allocate(*writer_, kX, 8);
  rmw(*writer_);
  EXPECT_TRUE(pairs_.empty());
}

// Its reads are in rows again, by others than before.
TEST_F(ReadersTest, NewMemoryHasTheNewReadersOnly) {
  all_read();
  detector_->allocate(*writer_, kX, 8);
  Thread* before = readers_.back();
  readers_.pop_back();
  for (Thread* reader : readers_) detector_->read(*reader, kX, 8, 1);
  order_after_all(*writer_);
  detector_->write(*writer_, kX, 8, 1);
  EXPECT_TRUE(pairs_.empty());
  EXPECT_EQ(before->id, kReaders);
}

// What the writer did to the memory before it was new does not stand for what it does now.
TEST_F(ReadersTest, WhatAWriterKnowsEndsWithTheMemory) {
  all_read();
  order_after_all(*writer_);
  detector_->write(*writer_, kX, 8, 1);
  detector_->allocate(*writer_, kX, 8);
  for (Thread* reader : readers_) new_time(*reader);
  all_read();
  EXPECT_TRUE(pairs_.empty());
  detector_->write(*writer_, kX, 8, 1);
  EXPECT_EQ(pairs_.size(), kReaders);
}

TEST_F(ReadersTest, AnAtomicFindsThemEachTime) {
  all_read();
  order_after_all(*writer_);
  rmw(*writer_);
  EXPECT_TRUE(pairs_.empty());
  order_all_after(*writer_);
  all_read();
  EXPECT_TRUE(pairs_.empty());
  rmw(*writer_);
  EXPECT_EQ(pairs_.size(), kReaders);
}

// Where somebody waits in a loop, all but reads in rows is in the list.
TEST_F(ReadersTest, AReadFindsTheWriteThatOthersWaitFor) {
  all_read();
  order_after_all(*writer_);
  detector_->spin_read(*late_, kX, 8, 4, true);
  detector_->write(*writer_, kX, 8, 1);
  EXPECT_TRUE(pairs_.empty());
  for (Thread* reader : readers_) new_time(*reader);
  all_read();
  EXPECT_EQ(pairs_.size(), kReaders);
}

TEST_F(ReadersTest, CollectionsKeepThemAndTheirLocks) {
  for (Thread* reader : readers_) {
    detector_->lock_acquire(*reader, kMutex, LockMode::kExclusive, 1);
    detector_->read(*reader, kX, 8, 1);
    detector_->lock_release(*reader, kMutex, LockMode::kExclusive);
  }
  collect_fully();
  write_under(*late_, kOther, kElsewhere);  // its locks get a number of their own
  EXPECT_EQ(detector_->accesses_at(kX), kReaders);
  write_under(*writer_, kMutex, kX);
  EXPECT_TRUE(pairs_.empty());
}

// A thread that has ended, unordered with all others, is not another one by and by.
TEST_F(ReadersTest, CollectionsKeepTheSlotsOfThoseWhoEnded) {
  all_read();
  Thread* ended = readers_.back();
  const Slot slot = ended->slot;
  readers_.pop_back();
  detector_->detach(*main_, ended->id);
  detector_->exit(*ended);
  order_after_all(*writer_);
  collect_fully();
  for (ThreadId id = 200; id < 210; ++id) EXPECT_NE(detector_->fork(*main_, id)->slot, slot);
  detector_->write(*writer_, kX, 8, 1);
  EXPECT_EQ(pairs_.size(), 1u);
}

// Rows that nobody needs are given back, and whoever reads there again gets others.
TEST_F(ReadersTest, RowsComeAndGo) {
  for (int round = 0; round < 3; ++round) {
    all_read();
    order_after_all(*writer_);
    detector_->write(*writer_, kX, 8, 1);
    collect_fully();
    EXPECT_EQ(detector_->accesses_at(kX), 1u);
    all_read(kElsewhere + 0x2000);  // takes the room
    order_all_after(*writer_);
  }
  all_read();
  EXPECT_TRUE(pairs_.empty());
  detector_->write(*late_, kX, 8, 1);
  EXPECT_EQ(pairs_.size(), kReaders + 1);  // and with the write before
}

// One granule in each block: rows would take seventeen times as much as the data.
TEST_F(ReadersTest, RowsTakeNoMoreThanTheShadow) {
  constexpr Address kData = 0x1000000;
  constexpr Address kEnd = kData + (2 << 20);
  const uint64_t before = detector_->statistics().arena_bytes;
  for (Address at = kData; at < kEnd; at += 128) all_read(at);
  EXPECT_LT(detector_->statistics().arena_bytes - before, detector_->shadow_bytes() * 3);
  detector_->write(*writer_, kEnd - 128, 8, 9);
  EXPECT_EQ(pairs_.size(), kReaders) << "who finds no room in rows is in a list";
  // More than one part of a block holds: the others have no rows where the first have.
  for (ThreadId id = 20; id < 28; ++id) readers_.push_back(detector_->fork(*main_, id));
  all_read(kData);
  pairs_.clear();
  detector_->write(*late_, kData, 8, 9);
  EXPECT_EQ(pairs_.size(), readers_.size());
}

}  // namespace
}  // namespace norn
