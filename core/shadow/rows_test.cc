// What a range leaves in each of its granules is what an access to that granule alone would leave.
//
// Random ranges of several threads go to one region at once, and granule by granule to another, which nobody else uses.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "core/detector.h"
#include "core/testing/detector_probe.h"
#include "core/testing/test_arena.h"
#include "core/testing/test_listener.h"
#include "core/testing/test_size.h"

namespace norn {
namespace {

constexpr Address kAtOnce = 0x10000;
constexpr Address kOneByOne = 0x20000;
constexpr Address kTag = 0x30000;
constexpr Address kLock = 0x40000;
constexpr unsigned kGranules = 24;
constexpr unsigned kLocks = 2;
constexpr unsigned kThreads = 3;
constexpr unsigned kSteps = 400;

std::string text_of(const Remembered& all) {
  std::string text;
  for (const RememberedByte& one : all.all) {
    text += "  byte " + std::to_string(one.byte) + " slot " + std::to_string(one.slot) + " clock " +
            std::to_string(one.clock) + " kind " + std::to_string(static_cast<unsigned>(one.kind)) + " locks " +
            std::to_string(one.lockset) + " stack " + std::to_string(one.stack) + (one.rmw ? " rmw" : "") + "\n";
  }
  return text;
}

class RowsTest : public testing::Test {
 protected:
  void TearDown() override { core_barrier = nullptr; }

  void start(const Options& options, unsigned seed) {
    core_barrier = seed % 3 == 0 ? nullptr : [] {};
    random_.seed(seed);
    detector_ = std::make_unique<Detector>();
    threads_.clear();
    pairs_.clear();
    for (bool& held : held_) held = false;
    for (bool& listed : listed_) listed = false;
    ASSERT_TRUE(detector_->init(options, listener_into(pairs_)));
    Thread* main = detector_->add_root(0);
    for (ThreadId id = 1; id <= kThreads; ++id) threads_.push_back(detector_->fork(*main, id));
  }
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }

  void step() {
    const unsigned who = below(kThreads);
    Thread& thread = *threads_[who];
    switch (below(8)) {
      case 0:
        return detector_->happens_before(thread, kTag);
      case 1:
        return detector_->happens_after(thread, kTag);
      case 2:
        return use_lock(thread, who);
      default:
        return access(thread);
    }
  }
  // One lock a thread, which others may take when it was given back.
  void use_lock(Thread& thread, unsigned who) {
    const unsigned lock = who % kLocks;
    if (held_[who]) {
      detector_->lock_release(thread, kLock + lock * 64, LockMode::kExclusive);
      held_[who] = false;
      return;
    }
    for (unsigned other = 0; other < kThreads; ++other) {
      if (other % kLocks == lock && held_[other]) return;
    }
    detector_->lock_acquire(thread, kLock + lock * 64, LockMode::kExclusive, 90 + lock);
    held_[who] = true;
  }
  void access(Thread& thread) {
    const unsigned first = below(kGranules);
    const unsigned count = 1 + below(kGranules - first);
    const StackId where = 1 + below(3);
    const unsigned what = below(12);
    const auto both = [&](const auto& act) {
      act(kAtOnce + first * kGranuleBytes, count * kGranuleBytes);
      for (unsigned i = first; i < first + count; ++i) act(kOneByOne + i * kGranuleBytes, kGranuleBytes);
    };
    if (what == 0 && below(4) == 0) {
      both([&](Address at, uint64_t size) { detector_->allocate(thread, at, size); });
      for (unsigned i = first; i < first + count; ++i) listed_[i] = false;
    } else if (what == 0) {
      both([&](Address at, uint64_t size) { detector_->bear(thread, at, size, where); });
    } else if (what == 1) {
      both([&](Address at, uint64_t size) { detector_->free(thread, at, size, where); });
    } else {
      const AccessKind kind = what < 7 ? AccessKind::kRead : AccessKind::kWrite;
      both([&](Address at, uint64_t size) { detector_->access(thread, kind, at, size, where); });
    }
  }

  // As long as they had no lists, which may keep more on one way than on the other (paths_test.cc says what).
  void compare() {
    for (unsigned i = 0; i < kGranules; ++i) {
      const Address at = kAtOnce + i * kGranuleBytes, twin = kOneByOne + i * kGranuleBytes;
      Granule& one = DetectorProbe::made_granule(*detector_, at);
      Granule& other = DetectorProbe::made_granule(*detector_, twin);
      listed_[i] |= has_list(one) || has_list(other);
      if (listed_[i]) continue;
      ++compared_;
      EXPECT_TRUE(DetectorProbe::remembered(*detector_, one, at) == DetectorProbe::remembered(*detector_, other, twin))
          << "granule " << i << "\n"
          << text_of(DetectorProbe::remembered(*detector_, one, at)) << "beside\n"
          << text_of(DetectorProbe::remembered(*detector_, other, twin));
    }
  }

  void run(const Options& options) {
    const unsigned rounds = is_full_size() ? 200 : 60;
    for (unsigned round = 0; round < rounds && !HasFailure(); ++round) {
      start(options, round);
      for (unsigned i = 0; i < kSteps && !HasFailure(); ++i) {
        step();
        compare();
      }
      if (HasFailure()) std::fprintf(stderr, "seed %u\n", round);
    }
    EXPECT_GE(compared_, 10000u);
  }

  TestingArena memory_;
  std::unique_ptr<Detector> detector_;
  std::vector<RacingPair> pairs_;
  std::vector<Thread*> threads_;
  bool held_[kThreads] = {};
  bool listed_[kGranules] = {};
  std::mt19937 random_;
  unsigned compared_ = 0;
};

TEST_F(RowsTest, HbLeavesTheSameInEach) {
  Options options;
  options.engine = EngineKind::kHb;
  run(options);
}
TEST_F(RowsTest, HybridLeavesTheSameInEach) { run({}); }

}  // namespace
}  // namespace norn
