#include "runtime/probe/known_threads.h"

namespace norn::probe {

KnownThread* KnownThreads::add() {
  KnownThread* found = nullptr;
  for (size_t i = 0; i < used_ && found == nullptr; ++i) {
    if (threads_[i].life == Life::kFree) found = &threads_[i];
  }
  if (found == nullptr && used_ < kMost) found = &threads_[used_++];
  // Threads that nobody joins stay for ever: rather none of them is remembered than no new one known.
  for (size_t i = 0; i < kMost && found == nullptr; ++i) {
    if (threads_[i].life == Life::kEnded) found = &threads_[i];
  }
  if (found == nullptr) return nullptr;
  found->after.store(0, std::memory_order_relaxed);
  found->fence_after = found->fence_pending = 0;
  found->number = ++numbers_;
  found->life = Life::kLive;
  found->detached = false;
  found->end_rounds = 0;
  found->handle = 0;
  found->awake.store(0, std::memory_order_relaxed);
  found->waits.store(false, std::memory_order_relaxed);
  found->joins.store(0, std::memory_order_relaxed);
  ++live_;
  return found;
}

void KnownThreads::remove(KnownThread& thread) {
  if (thread.life == Life::kLive) --live_;
  thread.life = Life::kFree;
  thread.handle = 0;
}

void KnownThreads::end(KnownThread& thread) {
  if (thread.life != Life::kLive) return;
  --live_;
  thread.life = Life::kEnded;
  if (thread.detached) remove(thread);
}

KnownThread* KnownThreads::find(uintptr_t handle) {
  for (size_t i = 0; i < used_; ++i) {
    if (threads_[i].life != Life::kFree && threads_[i].handle == handle) return &threads_[i];
  }
  return nullptr;
}

KnownThread* KnownThreads::find_ended(uintptr_t handle) {
  KnownThread* found = nullptr;
  for (size_t i = 0; i < used_; ++i) {
    KnownThread& thread = threads_[i];
    if (thread.life != Life::kEnded || thread.handle != handle) continue;
    if (found == nullptr || thread.number < found->number) found = &thread;
  }
  return found;
}

bool KnownThreads::is_after(const KnownThread& thread, WatchNumber watch) const {
  const KnownThread* at = &thread;
  // Threads that wait for each other's ends stand in a row; one that does not end is a deadlock of the program's.
  for (size_t steps = 0; at != nullptr && steps < used_; ++steps) {
    if (at->after.load(std::memory_order_relaxed) == watch) return true;
    const uintptr_t joins = at->joins.load(std::memory_order_relaxed);
    if (joins == 0) return false;
    const KnownThread* next = nullptr;
    for (size_t i = 0; i < used_ && next == nullptr; ++i) {
      if (threads_[i].life == Life::kLive && threads_[i].handle == joins) next = &threads_[i];
    }
    at = next;
  }
  return false;
}

bool KnownThreads::all_after(WatchNumber watch) const {
  for (size_t i = 0; i < used_; ++i) {
    if (threads_[i].life == Life::kLive && !is_after(threads_[i], watch)) return false;
  }
  return true;
}

bool KnownThreads::pass_over(WatchNumber watch, uint32_t arming) {
  bool any = false;
  for (size_t i = 0; i < used_; ++i) {
    KnownThread& thread = threads_[i];
    if (thread.life != Life::kLive || thread.after.load(std::memory_order_relaxed) == watch) continue;
    const bool is_seen = thread.handle == 0 || thread.awake.load(std::memory_order_acquire) == arming ||
                         thread.waits.load(std::memory_order_acquire) ||
                         thread.joins.load(std::memory_order_acquire) != 0;
    if (is_seen) continue;
    thread.after.store(watch, std::memory_order_relaxed);
    any = true;
  }
  return any;
}

void KnownThreads::keep_only(KnownThread* kept) {
  for (size_t i = 0; i < used_; ++i) {
    if (&threads_[i] != kept && threads_[i].life != Life::kFree) remove(threads_[i]);
  }
}

}  // namespace norn::probe
