// However many shadow words a granule has had, what is read of it has room, and nothing is reported that was not done.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <vector>

#include "core/detector.h"
#include "core/testing/test_arena.h"
#include "core/testing/test_listener.h"

namespace norn {
namespace {

constexpr Address kData = 0x10000;
constexpr Address kLocks = 0x40000;
constexpr unsigned kThreads = 8;

class ManyShadowWords : public testing::TestWithParam<unsigned> {};

TEST_P(ManyShadowWords, HaveRoom) {
  std::mt19937 random(GetParam());
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  const TestingArena memory;
  std::vector<RacingPair> pairs;
  const auto detector = std::make_unique<Detector>();
  ASSERT_TRUE(detector->init({}, listener_into(pairs)));
  std::vector<Thread*> threads{detector->add_root(0)};
  while (threads.size() < kThreads) {
    threads.push_back(detector->fork(*threads[0], static_cast<ThreadId>(threads.size())));
  }
  const unsigned locks = 100 + below(900);
  const unsigned writes = below(3) == 0 ? 0 : 1 + below(40);  // of a hundred
  const unsigned without_lock = below(30);
  const StackId large = below(2) == 0 ? 0 : StackId{1} << 22;  // fits no shadow word
  for (unsigned move = 0; move < 6000; ++move) {
    Thread& thread = *threads[below(kThreads)];
    const unsigned size = 1u << below(4);
    const Address at = kData + below(8 / size) * size;
    const StackId where = 1 + below(50) + (below(3) == 0 ? large : 0);
    const bool locked = below(100) >= without_lock;
    const Address lock = kLocks + 8 * below(locks);
    if (locked) detector->lock_acquire(thread, lock, LockMode::kExclusive, 1);
    if (const unsigned kind = below(100); kind < writes) {
      detector->write(thread, at, size, where);
    } else if (kind >= 99) {
      detector->allocate(thread, at, size);
    } else if (kind >= 97) {
      detector->atomic_load(thread, at, size, MemoryOrder::kRelaxed, where, [] {});
    } else {
      detector->read(thread, at, size, where);
    }
    if (locked) detector->lock_release(thread, lock, LockMode::kExclusive);
  }
  for (const RacingPair& pair : pairs) {
    EXPECT_TRUE(pair.address >= kData && pair.address + pair.size <= kData + 8) << pair.address;
    EXPECT_TRUE(pair.earlier.thread < kThreads && pair.later.thread < kThreads);
    EXPECT_LT(pair.earlier.where & ~large, 51u);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ManyShadowWords, testing::Range(1u, 41u));

}  // namespace
}  // namespace norn
