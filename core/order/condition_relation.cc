// Condition variables: signals, lost signals, and the write/read relation (thesis ch. 6, algorithm 2, listing 6.2;
// docs/design/order.md says what exactly). Deviations from the documents: records survive the unlock, so that a
// signal after it is understood; nested locks do not restart them; a wait that was executed hears only the signals
// sent while it waited; what is written is bound to the release of the lock it was written under, not to the signal.
#include "core/order/relations.h"

namespace norn {
namespace {

// What was written where nothing was recorded.
constexpr Bytes kAnything = {0, ~Address{0}};

}  // namespace

void Relations::bind_writes(const Thread& thread, ConditionState& condition, const VectorClocks& released) {
  const unsigned runs = thread.writes == nullptr ? 0 : thread.writes->size();
  if (runs == 0 && !thread.unrecorded) return;
  if (condition.bindings == nullptr) condition.bindings = arena_.create<Bindings>();
  if (condition.bindings == nullptr) return no_memory_for_clocks();
  bool complete = true;
  if (thread.unrecorded) {  // it may have been an increment
    complete = condition.bindings->bind(arena_, kAnything, true, released);
  } else {
    for (unsigned i = 0; i < runs; ++i) {
      const Bytes& run = thread.writes->at(i);
      // What was read and written is an increment. Who waits for a count waits for all who counted.
      const bool increments = thread.reads != nullptr && thread.reads->overlaps(run);
      complete &= condition.bindings->bind(arena_, run, increments, released);
    }
  }
  if (!complete) no_memory_for_clocks();
}

// False: what the thread read is bound to no release.
bool Relations::acquire_bound(Thread& thread, const ConditionState& condition) {
  if (condition.bindings == nullptr) return false;
  const Bindings& bindings = *condition.bindings;
  const unsigned runs = thread.reads == nullptr ? 0 : thread.reads->size();
  Bindings::Set bound = 0;
  for (unsigned i = 0; i < runs; ++i) bound |= bindings.of(thread.reads->at(i));
  VectorClocks news;
  bool complete = true;
  bool is_bound = false;
  bool unclear = thread.unrecorded;  // or some of it was last written by who was not
  Bindings::for_each(bound, [&](unsigned i) {
    const VectorClocks& released = bindings.clocks(i);
    unclear |= bindings.bytes(i).end == kAnything.end;
    is_bound |= !released.full.empty();
    if (!thread.clocks.includes(released)) complete &= news.join(arena_, released);
  });
  if (!complete) no_memory_for_clocks();
  if (unclear || is_bound) acquire(thread, unclear ? condition.all_signals : news);
  news.clear(arena_);
  return unclear || is_bound;
}

void Relations::signal(Thread& thread, Address condition) {
  expect_conditions();
  const Inside inside(*this, thread);
  if (!begin_sync(thread)) return;
  auto* object = object_of<ConditionObject>(thread, condition, SyncFamily::kCondition);
  if (object == nullptr) return no_memory_for_clocks();
  const SpinLock lock(object->mutex);
  const Published published = publish_strongly(thread);
  VectorClocks signal;
  if (!signal.assign(arena_, thread.clocks)) no_memory_for_clocks();
  add_published(published, signal);
  ConditionState& state = object->condition;
  bool complete = state.all_signals.join(arena_, signal);
  for (Thread* waiter = state.waiters; waiter != nullptr; waiter = waiter->next_waiter) {
    complete &= waiter->signalled.join(arena_, signal);
  }
  if (!complete) no_memory_for_clocks();
  ++state.signals;
  if (options_.condition == ConditionMode::kWriteRead) {
    if (thread.held_count != 0) {
      add_pending_signal(thread, *object);
    } else if (thread.unrecorded) {
      bind_writes(thread, state, signal);
    } else if (thread.writes != nullptr && thread.writes->size() != 0) {
      if (!signal.assign(arena_, thread.released)) no_memory_for_clocks();
      add_published({thread.released_slot, thread.released_time}, signal);
      bind_writes(thread, state, signal);
    }
  }
  signal.clear(arena_);
}

// Under the condition's lock.
void Relations::add_pending_signal(Thread& thread, ConditionObject& condition) {
  ConditionState& state = condition.condition;
  const Address mutex = state.mutex != 0 && thread.find_held(state.mutex) != nullptr ? state.mutex : 0;
  for (unsigned i = 0; i < thread.pending_signal_count; ++i) {
    Thread::PendingSignal& known = thread.pending_signals[i];
    if (known.condition == &condition && known.mutex == mutex && known.locks == thread.held_count) {
      known.number = state.signals;
      return;
    }
  }
  if (thread.pending_signal_count == Thread::kPendingSignals) return;  // it stands for itself alone
  thread.pending_signals[thread.pending_signal_count++] = {&condition, mutex, thread.held_count, state.signals};
}

// The lock that was taken as the `place`th of those held is given up.
void Relations::end_pending_signals(Thread& thread, Address lock, unsigned place, const Published& published) {
  VectorClocks released;
  if (!released.assign(arena_, thread.clocks)) no_memory_for_clocks();
  add_published(published, released);
  unsigned kept = 0;
  for (unsigned i = 0; i < thread.pending_signal_count; ++i) {
    const Thread::PendingSignal signal = thread.pending_signals[i];
    if (signal.mutex == lock || (signal.mutex == 0 && place < signal.locks)) {
      end_signal(thread, signal, released);
    } else {
      thread.pending_signals[kept++] = signal;
    }
  }
  thread.pending_signal_count = kept;
  released.clear(arena_);
}

void Relations::end_signal(Thread& thread, const Thread::PendingSignal& signal, const VectorClocks& released) {
  if (signal.condition->gone.load(std::memory_order_relaxed)) return;
  const SpinLock guard(signal.condition->mutex);
  ConditionState& state = signal.condition->condition;
  bool complete = state.all_signals.join(arena_, released);
  for (Thread* waiter = state.waiters; waiter != nullptr; waiter = waiter->next_waiter) {
    if (waiter->signals_before_wait < signal.number) complete &= waiter->signalled.join(arena_, released);
  }
  if (!complete) no_memory_for_clocks();
  bind_writes(thread, state, released);
}

// Before the objects that are gone are used again.
void Relations::forget_gone_conditions() {
  for (Thread* t = first_thread(); t != nullptr; t = t->next) {
    unsigned kept = 0;
    for (unsigned i = 0; i < t->pending_signal_count; ++i) {
      const Thread::PendingSignal signal = t->pending_signals[i];
      if (!signal.condition->gone.load(std::memory_order_relaxed)) t->pending_signals[kept++] = signal;
    }
    t->pending_signal_count = kept;
  }
}

// Under the condition's lock.
void Relations::leave_waiters(Thread& thread) {
  for (Thread** place = &thread.waiting_on->condition.waiters; *place != nullptr; place = &(*place)->next_waiter) {
    if (*place != &thread) continue;
    *place = thread.next_waiter;
    break;
  }
  thread.next_waiter = nullptr;
  thread.waiting_on = nullptr;
}

void Relations::end_wait(Thread& thread) {
  ConditionObject* object = thread.waiting_on;
  if (object == nullptr) return;
  const SpinLock lock(object->mutex);
  leave_waiters(thread);
  thread.signalled.clear(arena_);
}

void Relations::wait_enter(Thread& thread, Address condition, Address mutex, bool in_loop) {
  expect_conditions();
  const Inside inside(*this, thread);
  end_wait(thread);  // one that a handler left by a jump
  if (begin_sync(thread)) {
    auto* object = object_of<ConditionObject>(thread, condition, SyncFamily::kCondition);
    if (object == nullptr) {
      no_memory_for_clocks();
    } else {
      const SpinLock lock(object->mutex);
      thread.signalled.clear(arena_);
      thread.waiting_on = object;
      thread.wait_in_loop = in_loop;
      thread.signals_before_wait = object->condition.signals;
      object->condition.mutex = mutex;
      thread.next_waiter = object->condition.waiters;
      object->condition.waiters = &thread;
    }
  }
  give_lock(thread, mutex);
}

void Relations::wait_leave(Thread& thread, Address /*condition*/, Address mutex, bool timed_out, StackId where) {
  const Inside inside(*this, thread);
  const bool counts = begin_sync(thread);
  if (ConditionObject* object = thread.waiting_on; object != nullptr) {
    const SpinLock lock(object->mutex);
    leave_waiters(thread);
    const bool write_read = options_.condition == ConditionMode::kWriteRead;
    if (counts && !timed_out && !(write_read && thread.wait_in_loop) &&
        !(write_read && acquire_bound(thread, object->condition))) {
      acquire(thread, thread.signalled);
    }
  }
  thread.signalled.clear(arena_);
  if (counts) take_lock(thread, mutex, LockMode::kExclusive, where);
}

void Relations::wait_loop_leave(Thread& thread, Address condition) {
  const Inside inside(*this, thread);
  if (!begin_sync(thread) || options_.condition == ConditionMode::kOff) return;
  auto* object = sync_.find<ConditionObject>(condition, SyncFamily::kCondition);
  if (object == nullptr) return;
  const SpinLock lock(object->mutex);
  const bool write_read = options_.condition == ConditionMode::kWriteRead;
  if (!(write_read && acquire_bound(thread, object->condition))) acquire(thread, object->condition.all_signals);
}

void Relations::record(Thread& thread, AccessKind kind, Address address, uint64_t size) {
  if (kind == AccessKind::kFree) return;
  if ((thread.ignoring & (is_write(kind) ? kIgnoreWrites : kIgnoreReads)) != 0) return;
  record_in(is_write(kind) ? thread.writes : thread.reads, {address, address + size});
}

void Relations::record_in(AccessRecord*& list, Bytes bytes) {
  if (list == nullptr) list = arena_.create<AccessRecord>();
  if (list != nullptr) list->add(bytes);
}

}  // namespace norn
