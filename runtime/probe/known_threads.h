// The threads of the program, as far as validation has to know them: who lives, and who comes after what is watched.
#pragma once

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include <atomic>

namespace norn::probe {

// Numbers a watched access; 0: none. A number is not given twice.
using WatchNumber = uint32_t;

enum class Life : uint8_t { kFree, kLive, kEnded };  // kEnded: nobody has joined it yet

struct KnownThread {
  // The watched access that all that the thread does now is ordered after; of an older watch: of none.
  std::atomic<WatchNumber> after{0};
  WatchNumber fence_after = 0;    // the same, at its last release fence
  WatchNumber fence_pending = 0;  // what an acquire fence would make of it: relaxed loads saw it
  uint32_t number = 0;            // 1, 2, …; never given twice
  Life life = Life::kFree;
  bool detached = false;
  uint8_t end_rounds = 0;
  uintptr_t handle = 0;  // pthread_t; 0: it has not begun yet
  // The arming since which all that it acquires is seen (slots.h). The thread's own.
  std::atomic<uint32_t> awake{0};
  // It is in a call that blocks and that is never dormant, or about to go in: what it acquires there will be seen.
  std::atomic<bool> waits{false};
  std::atomic<uintptr_t> joins{0};  // whose end it waits for
  void* (*routine)(void*) = nullptr;
  int (*c11_routine)(void*) = nullptr;
  void* argument = nullptr;
};

// All of it under the lock of validation.h, but for `after` of the calling thread.
class KnownThreads final {
 public:
  static constexpr size_t kMost = 4096;

  // Null: there are too many.
  [[nodiscard]] KnownThread* add();
  void remove(KnownThread& thread);
  // It stays until somebody joins it, unless it is detached.
  void end(KnownThread& thread);
  [[nodiscard]] KnownThread* find(uintptr_t handle);
  // The one that ended and that nobody joined; of several the oldest, because the C library gives handles again.
  [[nodiscard]] KnownThread* find_ended(uintptr_t handle);
  [[nodiscard]] unsigned live() const { return live_; }
  // Whether every thread that lives comes after the watched access. Who waits for the end of such a thread will.
  [[nodiscard]] bool all_after(WatchNumber watch) const;
  // Takes threads of which something may have been missed since this arming for such that come after the watched
  // access. False: there are none.
  bool pass_over(WatchNumber watch, uint32_t arming);
  // After a fork, in the child.
  void keep_only(KnownThread* kept);

 private:
  [[nodiscard]] bool is_after(const KnownThread& thread, WatchNumber watch) const;

  KnownThread threads_[kMost];
  size_t used_ = 0;  // those beyond were never given
  uint32_t numbers_ = 0;
  unsigned live_ = 0;
};

}  // namespace norn::probe
