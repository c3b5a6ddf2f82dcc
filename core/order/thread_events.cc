// How threads come and go.
#include "core/order/relations.h"

namespace norn {

// The thread's clocks are set: gives it a slot and makes it known.
bool Relations::settle_thread(Thread& thread) {
  ClockValue first = 0;
  if (!slots_.take(thread.id, thread.clocks.strong, thread.slot, first)) return false;
  thread.time = thread.segment_since = thread.own_since = first;
  thread.incarnation = 0;
  thread.forget_recent();
  ++thread.knowledge;
  note_version(thread);
  renew_check(thread);
  return enlist(thread);
}

Thread* Relations::add_root(ThreadId id) {
  Thread* thread = make_thread(id);
  if (thread != nullptr && settle_thread(*thread)) return thread;
  if (thread != nullptr) recycle_thread(*thread);
  no_memory_for_clocks();
  return nullptr;
}

// The last that shadow words of this thread may carry. Who acquired what it gave away last is ordered after all of it:
// a time that nothing carries does not count, and is the next tenant's of the slot.
static ClockValue last_time(const Thread& thread) { return thread.epoch_used ? thread.time : thread.time - 1; }

// Its clocks are what it begins with.
Thread* Relations::begin_child(Thread* child) {
  if (child != nullptr) {
    if (slots_.wants_collection() || slots_.scarce()) want_collection();
    if (settle_thread(*child)) return child;
    recycle_thread(*child);
  }
  no_memory_for_clocks();
  return nullptr;
}

Thread* Relations::fork(Thread& parent, ThreadId child) {
  const Inside inside(*this, parent);
  begin_sync(parent);
  Thread* thread = make_thread(child);
  if (thread != nullptr) {
    const Published published = publish_strongly(parent);
    if (!thread->clocks.assign(arena_, parent.clocks)) no_memory_for_clocks();
    add_published(published, thread->clocks);
  }
  return begin_child(thread);
}

Thread* Relations::fork_after(Thread& caller, ReleaseClock& clock, ThreadId child) {
  const Inside inside(*this, caller);
  Thread* thread = make_thread(child);
  if (thread != nullptr) {
    const SpinLock lock(clock.mutex);
    if (!thread->clocks.assign(arena_, clock.clocks)) no_memory_for_clocks();
  }
  return begin_child(thread);
}

void Relations::begin_again(Thread& thread, ReleaseClock& clock) {
  const Inside inside(*this, thread);
  const bool learned = thread.sync_events != thread.began_at;
  begin_sync(thread);
  thread.began_at = thread.sync_events;
  if (learned) {
    if (thread.version_kept) tick(thread);
    const SpinLock lock(clock.mutex);
    if (!thread.clocks.assign(arena_, clock.clocks)) no_memory_for_clocks();
    thread.remembered.clear(arena_);
    thread.has_fence = false;
    thread.forget_recent();
    ++thread.knowledge;
    note_version(thread);
  }
  thread.own_since = thread.segment_since = thread.time;
  thread.incarnation = incarnations_.fetch_add(1, std::memory_order_relaxed) + 1;
}

void Relations::exit_inside(Thread& thread) {
  end_wait(thread);
  slots_.end(thread.slot, last_time(thread));
  thread.life.store(Thread::Life::kExited, std::memory_order_seq_cst);
}

void Relations::exit(Thread& thread) {
  {
    const Inside inside(*this, thread);
    begin_sync(thread);
    exit_inside(thread);
  }
  if (thread.detached.load(std::memory_order_seq_cst)) recycle_thread(thread);
}

void Relations::join(Thread& thread, ThreadId ended) {
  const Inside inside(*this, thread);
  begin_sync(thread);
  Thread* other = find(ended);
  if (other == nullptr || other == &thread) return;
  if (other->life.load(std::memory_order_acquire) == Thread::Life::kRunning) exit_inside(*other);
  if (thread.version_kept) tick(thread);
  ++thread.knowledge;
  if (!thread.clocks.join(arena_, other->clocks) || !thread.clocks.raise(arena_, other->slot, last_time(*other))) {
    no_memory_for_clocks();
  }
  note_version(thread);
  slots_.joined(other->slot, last_time(*other));
  recycle_thread(*other);
}

void Relations::detach(Thread& thread, ThreadId other) {
  const Inside inside(*this, thread);
  Thread* target = find(other);
  if (target == nullptr) return;
  // Of exit and detach, each sets its mark and then looks for the other's; recycling happens once.
  target->detached.store(true, std::memory_order_seq_cst);
  if (target->life.load(std::memory_order_seq_cst) == Thread::Life::kExited) recycle_thread(*target);
}

}  // namespace norn
