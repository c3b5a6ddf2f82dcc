#include "core/order/thread_table.h"

namespace norn {

bool ThreadTable::init_threads() {
  chunks_ = static_cast<std::atomic<std::atomic<Thread*>*>*>(
      arena_.allocate_zeroed(kChunks * sizeof(std::atomic<std::atomic<Thread*>*>)));
  return chunks_ != nullptr && slots_.init(arena_, options_.time_limit);
}

Thread* ThreadTable::make_thread(ThreadId id) {
  Thread* thread = nullptr;
  {
    const SpinLock lock(mutex_);
    thread = idle_;
    if (thread != nullptr) {
      idle_ = thread->next_waiter;
      thread->next_waiter = nullptr;
    }
  }
  if (thread == nullptr) {
    thread = arena_.create<Thread>();
    if (thread == nullptr) return nullptr;
    const SpinLock lock(mutex_);
    thread->next = threads_.load(std::memory_order_relaxed);
    threads_.store(thread, std::memory_order_release);
  }
  thread->id = id;
  thread->life.store(Thread::Life::kRunning, std::memory_order_relaxed);
  thread->detached.store(false, std::memory_order_relaxed);
  return thread;
}

bool ThreadTable::enlist(Thread& thread) {
  std::atomic<std::atomic<Thread*>*>& place = chunks_[thread.id / kChunk];
  std::atomic<Thread*>* chunk = place.load(std::memory_order_acquire);
  if (chunk == nullptr) {
    const SpinLock lock(mutex_);
    chunk = place.load(std::memory_order_acquire);
    if (chunk == nullptr) {
      chunk = static_cast<std::atomic<Thread*>*>(arena_.allocate_zeroed(kChunk * sizeof(std::atomic<Thread*>)));
      if (chunk == nullptr) return false;
      place.store(chunk, std::memory_order_release);
    }
  }
  chunk[thread.id % kChunk].store(&thread, std::memory_order_release);
  thread_count_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

void ThreadTable::recycle_thread(Thread& thread) {
  if (thread.life.exchange(Thread::Life::kGone, std::memory_order_acq_rel) == Thread::Life::kGone) return;
  if (std::atomic<Thread*>* chunk = chunks_[thread.id / kChunk].load(std::memory_order_acquire); chunk != nullptr) {
    chunk[thread.id % kChunk].store(nullptr, std::memory_order_release);
  }
  for (VectorClocks* clocks :
       {&thread.clocks, &thread.remembered, &thread.fence, &thread.spun, &thread.signalled, &thread.released}) {
    clocks->clear(arena_);
  }
  for (Thread::TakenOut& taken : thread.taken_out) {
    taken.locks = kNoLocks;
    taken.before.clear(arena_);
  }
  if (thread.reads != nullptr) arena_.destroy(thread.reads);
  if (thread.writes != nullptr) arena_.destroy(thread.writes);
  arena_.release(thread.held - thread.held_gone, thread.held_capacity * sizeof(Held));
  thread.reads = thread.writes = nullptr;
  thread.held = nullptr;
  thread.held_count = thread.held_capacity = thread.held_gone = 0;
  thread.lockset = kNoLocks;
  thread.unsettled = 0;
  thread.epoch_used = thread.recording = thread.unrecorded = thread.has_fence = thread.version_kept =
      thread.gives_birth = false;
  thread.ignoring = 0;
  for (uint32_t& depth : thread.ignore_depth) depth = 0;
  thread.generation_entered = nullptr;
  thread.spin_word_count = thread.pending_signal_count = 0;
  thread.tick_wanted.store(0, std::memory_order_relaxed);
  const SpinLock lock(mutex_);
  ended_accesses_ += thread.accesses;
  ended_sync_events_ += thread.sync_events;
  thread.accesses = thread.sync_events = thread.began_at = 0;
  thread.next_waiter = idle_;
  idle_ = &thread;
}

void ThreadTable::add_statistics(Statistics& statistics) {
  const SpinLock lock(mutex_);
  statistics.accesses += ended_accesses_;
  statistics.sync_events += ended_sync_events_;
  for (const Thread* t = first_thread(); t != nullptr; t = t->next) {
    statistics.accesses += t->accesses;
    statistics.sync_events += t->sync_events;
    statistics.histories += t->room.made;
  }
  statistics.threads = thread_count();
}

}  // namespace norn
