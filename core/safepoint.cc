#include "core/safepoint.h"

namespace norn {

void Safepoint::wait_or_collect(Thread& thread) {
  Backoff backoff;
  for (;;) {
    thread.inside.store(false, std::memory_order_seq_cst);
    if (wanted_.load(std::memory_order_relaxed) && mutex_.try_lock()) {
      if (wanted_.load(std::memory_order_relaxed)) {
        collecting_.store(true, std::memory_order_seq_cst);
        if (core_barrier != nullptr) core_barrier();
        for (Thread* other = first_thread(); other != nullptr; other = other->next) {
          while (other->inside.load(std::memory_order_seq_cst)) backoff.pause();
        }
        collect_(*this, requested_.exchange(false, std::memory_order_relaxed));
        collections_.fetch_add(1, std::memory_order_relaxed);
        wanted_.store(false, std::memory_order_relaxed);
        collecting_.store(false, std::memory_order_seq_cst);
      }
      mutex_.unlock();
    }
    while (collecting_.load(std::memory_order_relaxed)) backoff.pause();
    thread.inside.store(true, std::memory_order_seq_cst);
    if (!collecting_.load(std::memory_order_seq_cst)) return;
  }
}

}  // namespace norn
