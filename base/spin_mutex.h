// A lock for a few instructions, usable where there is no operating system.
#pragma once

#include <atomic>

namespace norn {

// What a waiting thread does between two looks; the embedding may set it (sched_yield). Never null.
using YieldFunction = void (*)();
inline void no_yield() {}
inline constinit YieldFunction core_yield = &no_yield;

// Whether the embedding lets only one thread run at a time, and no other until that one is outside of the core: then
// nobody ever meets a lock that is taken.
#ifdef NORN_ONE_AT_A_TIME
inline constexpr bool kOneAtATime = true;
#else
inline constexpr bool kOneAtATime = false;
#endif

// Makes every thread of the process pass a full barrier before it returns; the embedding may have one (membarrier).
// Where it is set, threads do without barriers of their own. Set before there are threads, or never.
using BarrierFunction = void (*)();
inline constinit BarrierFunction core_barrier = nullptr;

// Waits a little longer each time.
class Backoff {
 public:
  void pause() {
    if (++rounds_ % 64 == 0) {
      core_yield();
    } else {
      __builtin_ia32_pause();
    }
  }

 private:
  unsigned rounds_ = 0;
};

class SpinMutex {
 public:
  constexpr SpinMutex() = default;
  SpinMutex(const SpinMutex&) = delete;
  SpinMutex& operator=(const SpinMutex&) = delete;

  void lock() {
    if constexpr (kOneAtATime) return;
    Backoff backoff;
    while (locked_.exchange(true, std::memory_order_acquire)) {
      while (locked_.load(std::memory_order_relaxed)) backoff.pause();
    }
  }
  [[nodiscard]] bool try_lock() {
    if constexpr (kOneAtATime) return true;
    return !locked_.load(std::memory_order_relaxed) && !locked_.exchange(true, std::memory_order_acquire);
  }
  // By who does not have it; pairs with unlock().
  [[nodiscard]] bool is_locked() const { return locked_.load(std::memory_order_acquire); }
  void unlock() { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_{false};
};

class SpinLock {
 public:
  explicit SpinLock(SpinMutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~SpinLock() { mutex_.unlock(); }
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

 private:
  SpinMutex& mutex_;
};

}  // namespace norn
