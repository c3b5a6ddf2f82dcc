#include "core/storage/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "core/testing/test_arena.h"

namespace norn {
namespace {

struct ArenaTest : testing::Test {
  TestingArena system;
  std::unique_ptr<Arena> arena = std::make_unique<Arena>();
};

TEST_F(ArenaTest, WhatIsReleasedIsUsedAgain) {
  for (const size_t bytes : {1u, 16u, 17u, 500u, 513u, 5000u, 70000u, 300000u, 1u << 20}) {
    void* first = arena->allocate(bytes);
    ASSERT_NE(first, nullptr);
    arena->release(first, bytes);
    EXPECT_EQ(arena->allocate(bytes), first) << bytes;
  }
}

TEST_F(ArenaTest, MemoryIsZeroWhereThatIsAskedFor) {
  for (const size_t bytes : {24u, 480u, 4000u, 20000u, 300000u}) {
    for (int round = 0; round < 3; ++round) {
      auto* memory = static_cast<char*>(arena->allocate_zeroed(bytes));
      ASSERT_NE(memory, nullptr);
      EXPECT_TRUE(std::all_of(memory, memory + bytes, [](char c) { return c == 0; })) << bytes;
      std::memset(memory, 1, bytes);
      if (round == 0) arena->release(memory, bytes);
    }
  }
}

TEST_F(ArenaTest, BlocksDoNotOverlapAndAreAligned) {
  std::mt19937 random(1);
  std::set<std::pair<uintptr_t, uintptr_t>> taken;
  for (int i = 0; i < 3000; ++i) {
    const size_t bytes = 1 + random() % (i % 100 == 0 ? 100000 : 2000);
    const bool forever = i % 3 == 0;
    const size_t asked = forever ? (bytes + 15) / 16 * 16 : bytes;
    const auto at = reinterpret_cast<uintptr_t>(forever ? arena->allocate_forever(asked) : arena->allocate(asked));
    ASSERT_NE(at, 0u);
    EXPECT_EQ(at % 16, 0u);
    if (asked >= 4096) EXPECT_EQ(at % 64, 0u);
    const auto next = taken.emplace(at, at + asked).first;
    if (next != taken.begin()) EXPECT_LE(std::prev(next)->second, at);
    if (std::next(next) != taken.end()) EXPECT_LE(at + asked, std::next(next)->first);
  }
}

// A thread that allocates only, and one that releases only: the memory goes round.
TEST_F(ArenaTest, WhatOthersReleasedIsFound) {
  constexpr size_t kBytes = 96;
  constexpr unsigned kCount = 1000;
  std::vector<void*> blocks(kCount);
  auto in_a_thread = [](auto what) { std::thread(what).join(); };
  auto fill = [&] {
    for (void*& block : blocks) block = arena->allocate(kBytes);
  };
  in_a_thread(fill);
  const size_t in_use = arena->in_use();
  EXPECT_EQ(in_use, kCount * kBytes);
  const std::set<void*> first(blocks.begin(), blocks.end());
  std::vector<std::thread> hold;
  std::atomic<bool> done{false};
  for (int round = 0; round < 5; ++round) {
    // A thread for itself each time, while the others are still there: their stacks differ.
    std::atomic<bool> ready{false};
    hold.emplace_back([&] {
      for (void* block : blocks) arena->release(block, kBytes);
      fill();
      ready.store(true);
      while (!done.load()) std::this_thread::yield();
    });
    while (!ready.load()) std::this_thread::yield();
    EXPECT_EQ(std::set<void*>(blocks.begin(), blocks.end()), first);
  }
  done.store(true);
  for (std::thread& thread : hold) thread.join();
  EXPECT_EQ(arena->in_use(), in_use);
}

TEST_F(ArenaTest, AThreadMapsABlockAtMost) {
  std::vector<std::thread> threads;
  std::atomic<unsigned> there{0};
  constexpr unsigned kThreads = 16;
  threads.reserve(kThreads);
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      void* block = arena->allocate(100);
      EXPECT_NE(block, nullptr);
      ++there;
      while (there.load() < kThreads) std::this_thread::yield();
      arena->release(block, 100);
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Threads that find none at the same instant may map one each; they are kept for later.
  EXPECT_LE(arena->mapped(), size_t{kThreads} << 20);
  EXPECT_EQ(arena->in_use(), 0u);
}

TEST(ArenaLimitTest, WhereThereIsNoMoreWhatIsReleasedIsGivenAgain) {
  const TestingArena system(size_t{3} << 20);
  const auto arena = std::make_unique<Arena>();
  std::vector<void*> blocks;
  while (void* block = arena->allocate(1000)) blocks.push_back(block);
  EXPECT_GT(blocks.size(), size_t{2900});
  EXPECT_EQ(arena->allocate_zeroed(1000), nullptr);
  EXPECT_EQ(arena->allocate_forever(4096), nullptr);
  arena->release(blocks.back(), 1000);
  std::thread([&] { EXPECT_EQ(arena->allocate(1000), blocks.back()); }).join();
}

// Blocks go from thread to thread through a table; each has its owner's mark in all its words.
TEST(ArenaStressTest, ManyThreadsAtOnce) {
  const TestingArena system;
  const auto arena = std::make_unique<Arena>();
  constexpr unsigned kThreads = 8;
  constexpr unsigned kPlaces = 64;
  constexpr unsigned kRounds = 40000;
  struct Known {
    uint64_t* memory;
    size_t words;
    uint64_t mark;
  };
  std::atomic<Known*> places[kPlaces] = {};
  std::atomic<unsigned> wrong{0};
  auto finish = [&](Known* known) {
    for (size_t i = 0; i < known->words; ++i) wrong += known->memory[i] != known->mark;
    arena->release(known->memory, known->words * 8);
    arena->destroy(known);
  };
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (unsigned round = 0; round < kRounds; ++round) {
        Known* known = arena->create<Known>();
        ASSERT_NE(known, nullptr);
        wrong += known->memory != nullptr || known->words != 0;
        const size_t words = 1 + random() % (round % 1000 == 0 ? 10000 : 40);
        *known = {nullptr, words, uint64_t{t} << 32 | round};
        const bool zeroed = random() % 2 == 0;
        known->memory = static_cast<uint64_t*>(zeroed ? arena->allocate_zeroed(words * 8) : arena->allocate(words * 8));
        ASSERT_NE(known->memory, nullptr);
        for (size_t i = 0; i < words; ++i) {
          wrong += zeroed && known->memory[i] != 0;
          known->memory[i] = known->mark;
        }
        if (Known* other = places[random() % kPlaces].exchange(known); other != nullptr) finish(other);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::atomic<Known*>& place : places) {
    if (place.load() != nullptr) finish(place.load());
  }
  EXPECT_EQ(wrong.load(), 0u);
  EXPECT_EQ(arena->in_use(), 0u);
  EXPECT_LT(arena->mapped(), size_t{64} << 20);
}

}  // namespace
}  // namespace norn
