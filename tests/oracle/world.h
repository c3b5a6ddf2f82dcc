// What can happen next: threads, locks, condition variables, barriers, semaphores and heap blocks, as far as a move
// depends on them. Playing moves gives a script.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/oracle/generator.h"

namespace norn::oracle::model {

constexpr size_t kData = 4;     // regions x0..x3 of plain data
constexpr size_t kAtomics = 3;  // regions f0..f2
constexpr size_t kBlocks = 2;   // heap blocks h0, h1
constexpr size_t kConditions = 2;
constexpr size_t kBarriers = 2;    // the second one's count is never told
constexpr size_t kSemaphores = 3;  // the last one lies in block h1
constexpr size_t kOnces = 1;
constexpr size_t kArrows = 2;     // objects of happens-before/after
constexpr size_t kMaxLocks = 12;  // the last one in use lies in block h1
constexpr uint64_t kBlockSize = 64;
constexpr uint8_t kNobody = 0xff;

enum class LockKind { kMutex, kReadWrite, kRecursive };

struct Lock {
  uint8_t holder = kNobody;
  int depth = 0;
  std::set<uint8_t> sharers;
  [[nodiscard]] bool free() const { return holder == kNobody && sharers.empty(); }
};

enum class Doing { kUnborn, kRunning, kWaiting, kInBarrier, kExited, kGone };

struct Thread {
  Doing doing = Doing::kUnborn;
  size_t condition = 0;  // while waiting
  size_t mutex = 0;
  bool signalled = false;
  bool in_loop = false;
  size_t barrier = 0;  // while in one
  size_t generation = 0;
  uint64_t ignored = 0;
  bool spinning = false;
};

struct Barrier {
  size_t needed = 2;
  size_t entered = 0;  // over all generations
};

struct Semaphore {
  int count = 0;
};

struct Block {
  bool alive = false;
  uint64_t size = kBlockSize;
};

class World {
 public:
  explicit World(const Plan& plan);

  // Plays the move if it is possible now.
  bool apply(const Move& m);

  // Barrier counts are told at the start, by the first thread; an init orders nothing.
  void begin();

  [[nodiscard]] script::Script take_script() { return std::move(script_); }
  [[nodiscard]] const std::vector<Thread>& threads() const { return threads_; }
  [[nodiscard]] const std::vector<Lock>& locks() const { return locks_; }
  [[nodiscard]] bool lock_exists(size_t which) const { return !in_heap(which) || blocks_[1].alive; }
  [[nodiscard]] static LockKind kind_of(size_t which) { return static_cast<LockKind>(which % 3); }
  [[nodiscard]] bool block_alive(size_t which) const { return blocks_[which].alive; }
  [[nodiscard]] int semaphore_count(size_t which) const { return semaphores_[which].count; }
  [[nodiscard]] bool once_done() const { return once_done_; }
  // A barrier in which threads wait for others to come.
  [[nodiscard]] std::optional<size_t> incomplete_barrier() const;

 private:
  void name(std::string text) { script_.regions.push_back(std::move(text)); }
  [[nodiscard]] static ThreadId number(size_t index) { return static_cast<ThreadId>(index + 1); }
  [[nodiscard]] static Address region(size_t index) {
    return script::kFirstRegion + script::kRegionStride * static_cast<Address>(index);
  }

  Event& emit(const Move& m, EventKind kind);

  static constexpr size_t kFirstCondition = kData + kAtomics + kBlocks;
  static constexpr size_t kFirstBarrier = kFirstCondition + kConditions;
  static constexpr size_t kFirstSemaphore = kFirstBarrier + kBarriers;
  static constexpr size_t kFirstOnce = kFirstSemaphore + kSemaphores;
  static constexpr size_t kFirstArrow = kFirstOnce + kOnces;
  static constexpr size_t kFirstLock = kFirstArrow + kArrows;

  [[nodiscard]] static Address condition_address(size_t i) { return region(kFirstCondition + i); }
  [[nodiscard]] static Address barrier_address(size_t i) { return region(kFirstBarrier + i); }
  [[nodiscard]] static Address semaphore_address(size_t i) {
    return i + 1 == kSemaphores ? region(kData + kAtomics + 1) + 40 : region(kFirstSemaphore + i);
  }
  [[nodiscard]] static Address once_address() { return region(kFirstOnce); }
  [[nodiscard]] static Address arrow_address(size_t i) { return region(kFirstArrow + i); }
  [[nodiscard]] bool in_heap(size_t lock) const { return locks_.size() > 3 && lock + 1 == locks_.size(); }
  [[nodiscard]] Address lock_address(size_t i) const {
    return in_heap(i) ? region(kData + kAtomics + 1) + 48 : region(kFirstLock + i);
  }
  [[nodiscard]] bool semaphore_exists(size_t i) const { return i + 1 < kSemaphores || blocks_[1].alive; }

  // Plain accesses go to data, to atomics, or to blocks (dead or alive: a use after free is a race like others).
  static void place_access(const Move& m, Event& e);
  static void place_atomic(const Move& m, Event& e);

  static size_t block_index(const Move& m) { return m.object % kBlocks; }
  static size_t block_region(const Move& m) { return kData + kAtomics + block_index(m); }
  Block& block(const Move& m) { return blocks_[block_index(m)]; }

  // Block h1 has the last semaphore and, with more than three locks, the last lock in it.
  [[nodiscard]] bool objects_in_use(const Move& m) const;
  void forget_objects(const Move& m);
  // In place, to a larger or smaller block; h0 may also move into h1's region when that is free.
  bool reallocate(const Move& m);
  bool acquire(const Move& m);
  bool release(const Move& m);

  [[nodiscard]] bool holds_anything(uint8_t thread) const;
  [[nodiscard]] bool mutex_awaited(size_t lock) const;
  [[nodiscard]] bool condition_awaited(size_t condition) const;
  [[nodiscard]] size_t alive_threads() const;

  std::vector<Thread> threads_;
  std::vector<Lock> locks_;
  std::array<Barrier, kBarriers> barriers_;
  std::array<Semaphore, kSemaphores> semaphores_;
  std::array<Block, kBlocks> blocks_;
  bool once_done_ = false;
  script::Script script_;
};

}  // namespace norn::oracle::model
