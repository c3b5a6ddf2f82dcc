// All threads, by number, and their slots.
//
// A Thread is made once and recycled after its thread is gone; it is never taken out of the list of all, so whoever
// walks that list needs no lock. What a thread knows and has is not looked at here, only given back at its end.
#pragma once

#include "core/core_state.h"
#include "core/order/thread.h"
#include "core/statistics.h"

namespace norn {

class ThreadTable : public CoreState {
 public:
  // Null: there is none, or it is gone.
  [[nodiscard]] Thread* find(ThreadId id) {
    std::atomic<Thread*>* chunk = chunks_[id / kChunk].load(std::memory_order_acquire);
    return chunk == nullptr ? nullptr : chunk[id % kChunk].load(std::memory_order_acquire);
  }

 protected:
  // After `options_`. False: no memory.
  [[nodiscard]] bool init_threads();

  // In its initial state but for what recycle_thread() leaves. Null: no memory.
  [[nodiscard]] Thread* make_thread(ThreadId id);
  // From here on it is found. False: no memory.
  [[nodiscard]] bool enlist(Thread& thread);
  // It is gone: what it has is given back. Once only, however often it is called.
  void recycle_thread(Thread& thread);

  // All there ever were, linked by Thread::next. Any thread.
  [[nodiscard]] Thread* first_thread() const { return threads_.load(std::memory_order_acquire); }
  [[nodiscard]] uint64_t thread_count() const { return thread_count_.load(std::memory_order_relaxed); }
  // What threads did: accesses, synchronization, histories.
  void add_statistics(Statistics& statistics);

  Slots slots_;

 private:
  static constexpr unsigned kChunk = 4096;
  static constexpr unsigned kChunks = 1u << 20;

  SpinMutex mutex_;
  std::atomic<Thread*> threads_{nullptr};
  Thread* idle_ = nullptr;  // to be recycled, linked by next_waiter; under mutex_
  std::atomic<std::atomic<Thread*>*>* chunks_ = nullptr;
  std::atomic<uint64_t> thread_count_{0};
  uint64_t ended_accesses_ = 0;  // of recycled threads; under mutex_
  uint64_t ended_sync_events_ = 0;
};

}  // namespace norn
