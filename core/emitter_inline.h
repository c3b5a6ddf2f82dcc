// The functions of the emitter (core/emitter.h).
#pragma once

#include "core/detector.h"
#include "core/emitter.h"

namespace norn {

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::settle() {
  wants_everything_ = recorder_ != nullptr || listener_.wants_everything();
}

template <Detector& detector_, auto& listener_>
Thread* Emitter<detector_, listener_>::add_root(ThreadId id) {
  const Turn turn(recorder_);
  Thread* thread = detector_.add_root(id);
  if (thread != nullptr) publish(*thread, {.kind = EventKind::kThreadStart});
  return thread;
}

template <Detector& detector_, auto& listener_>
Thread* Emitter<detector_, listener_>::fork(Thread& parent, ThreadId child) {
  const Turn turn(recorder_);
  Thread* thread = detector_.fork(parent, child);
  publish(parent, {.kind = EventKind::kThreadFork, .other = child});
  return thread;
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::exit(Thread& thread) {
  const Turn turn(recorder_);
  publish(thread, {.kind = EventKind::kThreadExit});
  detector_.exit(thread);
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::join(Thread& thread, ThreadId ended) {
  const Turn turn(recorder_);
  detector_.join(thread, ended);
  publish(thread, {.kind = EventKind::kThreadJoin, .other = ended});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::detach(Thread& thread, ThreadId other) {
  const Turn turn(recorder_);
  detector_.detach(thread, other);
  publish(thread, {.kind = EventKind::kThreadDetach, .other = other});
}

template <Detector& detector_, auto& listener_>
Thread* Emitter<detector_, listener_>::fork_after(Thread& caller, ReleaseClock& clock, ThreadId child) {
  const Turn turn(recorder_);
  Thread* thread = detector_.fork_after(caller, clock, child);
  publish(caller, {.kind = EventKind::kForkAfter, .address = number_of(clock), .other = child});
  return thread;
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::begin_again(Thread& thread, ReleaseClock& clock) {
  const Turn turn(recorder_);
  detector_.begin_again(thread, clock);
  publish(thread, {.kind = EventKind::kBeginAgain, .address = number_of(clock)});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::clock_release(Thread& thread, ReleaseClock& clock) {
  const Turn turn(recorder_);
  detector_.clock_release(thread, clock);
  publish(thread, {.kind = EventKind::kClockRelease, .address = number_of(clock)});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::clock_acquire(Thread& thread, ReleaseClock& clock) {
  const Turn turn(recorder_);
  detector_.clock_acquire(thread, clock);
  publish(thread, {.kind = EventKind::kClockAcquire, .address = number_of(clock)});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::clock_clear(ReleaseClock& clock) {
  const Turn turn(recorder_);
  detector_.clock_clear(clock);
  record({.kind = EventKind::kClockClear, .thread = kNoThread, .address = number_of(clock)});
}

template <Detector& detector_, auto& listener_>
template <class WhereOrCall>
void Emitter<detector_, listener_>::access(Thread& thread, AccessKind kind, Address address, uint64_t size,
                                           const WhereOrCall& where, bool increments) {
  if (wants_every_access()) [[unlikely]] {
    StackId place = kNoStack;
    if constexpr (requires { where(); }) {
      place = where();
    } else {
      place = where;
    }
    Event event = {.kind = kind_of(kind), .where = place, .address = address, .size = size};
    event.counts = increments;
    const Turn turn(recorder_);
    publish(thread, event);
    detector_.access(thread, kind, address, size, place, increments);
    return;
  }
  detector_.access(thread, kind, address, size, where, increments);
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::read(Thread& thread, Address address, uint64_t size, StackId where) {
  const Turn turn(recorder_);
  detector_.read(thread, address, size, where);
  record({.kind = EventKind::kRead, .thread = thread.id, .where = where, .address = address, .size = size});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::write(Thread& thread, Address address, uint64_t size, StackId where) {
  const Turn turn(recorder_);
  detector_.write(thread, address, size, where);
  record({.kind = EventKind::kWrite, .thread = thread.id, .where = where, .address = address, .size = size});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::use(Thread& thread, Address object, StackId where) {
  const Turn turn(recorder_);
  detector_.use(thread, object, where);
  publish(thread, {.kind = EventKind::kUse, .where = where, .address = object});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::allocate(Thread& thread, Address address, uint64_t size) {
  const Turn turn(recorder_);
  detector_.allocate(thread, address, size);
  publish(thread, {.kind = EventKind::kRenew, .address = address, .size = size});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::bear(Thread& thread, Address address, uint64_t size, StackId where) {
  const Turn turn(recorder_);
  detector_.bear(thread, address, size, where);
  publish(thread, {.kind = EventKind::kAllocate, .where = where, .address = address, .size = size});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::free(Thread& thread, Address address, uint64_t size, StackId where) {
  const Turn turn(recorder_);
  detector_.free(thread, address, size, where);
  publish(thread, {.kind = EventKind::kFree, .where = where, .address = address, .size = size});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::map(Thread& thread, Address address, uint64_t size) {
  const Turn turn(recorder_);
  detector_.map(thread, address, size);
  publish(thread, {.kind = EventKind::kMap, .address = address, .size = size});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::unmap(Thread& thread, Address address, uint64_t size) {
  const Turn turn(recorder_);
  detector_.unmap(thread, address, size);
  publish(thread, {.kind = EventKind::kUnmap, .address = address, .size = size});
}

template <Detector& detector_, auto& listener_>
Epoch Emitter<detector_, listener_>::birth(Thread& thread) {
  const Turn turn(recorder_);
  const Epoch moment = detector_.birth(thread);
  publish(thread, {.kind = EventKind::kBirth});
  return moment;
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::forget_accesses(Thread& thread, Address address, uint64_t size) {
  const Turn turn(recorder_);
  detector_.forget_accesses(thread, address, size);
  publish(thread, {.kind = EventKind::kForget, .address = address, .size = size});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::benign_range(Thread& thread, Address address, uint64_t size) {
  const Turn turn(recorder_);
  detector_.benign_range(thread, address, size);
  publish(thread, {.kind = EventKind::kBenignRange, .address = address, .size = size});
}

template <Detector& detector_, auto& listener_>
template <class Perform>
void Emitter<detector_, listener_>::atomic(Thread& thread, Address address, uint64_t size, StackId where,
                                           Perform perform) {
  const Turn turn(recorder_);
  AtomicOutcome outcome = {};
  const auto event = [&] {
    return Event{.kind = outcome.kind,
                 .order = outcome.order,
                 .thread = thread.id,
                 .where = where,
                 .address = address,
                 .size = size};
  };
  detector_.atomic(thread, address, size, where, [&] {
    outcome = perform();
    record(event());  // under the location's lock: it is heard in the order in which it took effect
    return outcome;
  });
  notify(thread, event());
}

template <Detector& detector_, auto& listener_>
template <class Load>
void Emitter<detector_, listener_>::atomic_load(Thread& thread, Address address, uint64_t size, MemoryOrder order,
                                                StackId where, Load load) {
  if (wants_every_access()) [[unlikely]] {
    // Where its release clock is known, the detector takes no lock for a load: another's store could be heard before
    // it.
    return atomic(thread, address, size, where, [&] {
      load();
      return AtomicOutcome{EventKind::kAtomicLoad, order};
    });
  }
  detector_.atomic_load(thread, address, size, order, where, load);
  notify(thread, {.kind = EventKind::kAtomicLoad, .order = order, .where = where, .address = address, .size = size});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::fence(Thread& thread, MemoryOrder order) {
  const Turn turn(recorder_);
  detector_.fence(thread, order);
  publish(thread, {.kind = EventKind::kFence, .order = order});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::before_unsampled(Thread& thread, Address address, MemoryOrder order) {
  const Turn turn(recorder_);
  detector_.before_unsampled(thread, address, order);
  publish(thread, {.kind = EventKind::kUnsampledBefore, .order = order, .address = address});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::after_unsampled(Thread& thread, Address address, MemoryOrder order) {
  const Turn turn(recorder_);
  detector_.after_unsampled(thread, address, order);
  publish(thread, {.kind = EventKind::kUnsampledAfter, .order = order, .address = address});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::leave_by_atomic(Thread& thread, Address address) {
  const Turn turn(recorder_);
  detector_.leave_by_atomic(thread, address);
  publish(thread, {.kind = EventKind::kLeaveByAtomic, .address = address});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::lock_acquire(Thread& thread, Address lock, LockMode mode, LockAttempt attempt,
                                                 StackId where, bool uses) {
  const Turn turn(recorder_);
  detector_.lock_acquire(thread, lock, mode, where, uses);
  Event event = {.kind = EventKind::kLockAcquire, .mode = mode, .attempt = attempt, .where = where, .address = lock};
  event.uses = uses;
  publish(thread, event);
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::lock_release(Thread& thread, Address lock, LockMode mode) {
  const Turn turn(recorder_);
  detector_.lock_release(thread, lock, mode);
  publish(thread, {.kind = EventKind::kLockRelease, .mode = mode, .address = lock});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::lock_destroy(Thread& thread, Address lock) {
  const Turn turn(recorder_);
  detector_.lock_destroy(thread, lock);
  publish(thread, {.kind = EventKind::kLockDestroy, .address = lock});
}

template <Detector& detector_, auto& listener_>
bool Emitter<detector_, listener_>::lock_refused(Thread& thread, Address lock) {
  const Turn turn(recorder_);
  const bool known = detector_.lock_refused(thread, lock);
  if (known) publish(thread, {.kind = EventKind::kLockRefused, .address = lock});
  return known;
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::signal(Thread& thread, Address condition) {
  const Turn turn(recorder_);
  detector_.signal(thread, condition);
  publish(thread, {.kind = EventKind::kSignal, .address = condition});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::broadcast(Thread& thread, Address condition) {
  const Turn turn(recorder_);
  detector_.signal(thread, condition);  // it orders the same
  publish(thread, {.kind = EventKind::kBroadcast, .address = condition});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::wait_enter(Thread& thread, Address condition, Address mutex, bool in_loop) {
  const Turn turn(recorder_);
  detector_.wait_enter(thread, condition, mutex, in_loop);
  publish(thread, {.kind = EventKind::kWaitEnter, .in_loop = in_loop, .address = condition, .other = mutex});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::wait_leave(Thread& thread, Address condition, Address mutex, bool timed_out,
                                               StackId where) {
  const Turn turn(recorder_);
  detector_.wait_leave(thread, condition, mutex, timed_out, where);
  Event event = {.kind = EventKind::kWaitLeave, .where = where, .address = condition, .other = mutex};
  event.timed_out = timed_out;
  publish(thread, event);
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::wait_loop_leave(Thread& thread, Address condition) {
  const Turn turn(recorder_);
  detector_.wait_loop_leave(thread, condition);
  publish(thread, {.kind = EventKind::kWaitLoopLeave, .address = condition});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::barrier_init(Thread& thread, Address barrier, uint32_t count) {
  const Turn turn(recorder_);
  detector_.barrier_init(thread, barrier, count);
  publish(thread, {.kind = EventKind::kBarrierInit, .address = barrier, .other = count});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::barrier_enter(Thread& thread, Address barrier) {
  const Turn turn(recorder_);
  detector_.barrier_enter(thread, barrier);
  publish(thread, {.kind = EventKind::kBarrierEnter, .address = barrier});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::barrier_leave(Thread& thread, Address barrier) {
  const Turn turn(recorder_);
  detector_.barrier_leave(thread, barrier);
  publish(thread, {.kind = EventKind::kBarrierLeave, .address = barrier});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::semaphore_post(Thread& thread, Address semaphore) {
  const Turn turn(recorder_);
  detector_.semaphore_post(thread, semaphore);
  publish(thread, {.kind = EventKind::kSemaphorePost, .address = semaphore});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::semaphore_wait(Thread& thread, Address semaphore) {
  const Turn turn(recorder_);
  detector_.semaphore_wait(thread, semaphore);
  publish(thread, {.kind = EventKind::kSemaphoreWait, .address = semaphore});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::once_done(Thread& thread, Address once) {
  const Turn turn(recorder_);
  detector_.once_done(thread, once);
  publish(thread, {.kind = EventKind::kOnceDone, .address = once});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::once_seen(Thread& thread, Address once) {
  const Turn turn(recorder_);
  detector_.once_seen(thread, once);
  publish(thread, {.kind = EventKind::kOnceSeen, .address = once});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::happens_before(Thread& thread, Address tag) {
  const Turn turn(recorder_);
  detector_.happens_before(thread, tag);
  publish(thread, {.kind = EventKind::kHappensBefore, .address = tag});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::happens_after(Thread& thread, Address tag) {
  const Turn turn(recorder_);
  detector_.happens_after(thread, tag);
  publish(thread, {.kind = EventKind::kHappensAfter, .address = tag});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::sync_destroy(Thread& thread, Address object) {
  const Turn turn(recorder_);
  detector_.sync_destroy(thread, object);
  publish(thread, {.kind = EventKind::kSyncDestroy, .address = object});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::spin_read(Thread& thread, Address address, uint64_t size, StackId where,
                                              bool in_loop) {
  const Turn turn(recorder_);
  detector_.spin_read(thread, address, size, where, in_loop);
  publish(thread, {.kind = EventKind::kSpinRead, .in_loop = in_loop, .where = where, .address = address, .size = size});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::spin_leave(Thread& thread) {
  const Turn turn(recorder_);
  detector_.spin_leave(thread);
  publish(thread, {.kind = EventKind::kSpinLeave});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::look(Thread& thread, Address address, uint64_t size) {
  const Turn turn(recorder_);
  detector_.look(thread, address, size);
  publish(thread, {.kind = EventKind::kLook, .address = address, .size = size});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::come_after_all(Thread& thread) {
  const Turn turn(recorder_);
  detector_.come_after_all(thread);
  publish(thread, {.kind = EventKind::kComeAfterAll});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::cut(Thread& thread) {
  const Turn turn(recorder_);
  detector_.cut(thread);
  publish(thread, {.kind = EventKind::kCut});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::ignore_begin(Thread& thread, uint8_t what) {
  const Turn turn(recorder_);
  detector_.ignore_begin(thread, what);
  publish(thread, {.kind = EventKind::kIgnoreBegin, .other = what});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::ignore_end(Thread& thread, uint8_t what) {
  const Turn turn(recorder_);
  detector_.ignore_end(thread, what);
  publish(thread, {.kind = EventKind::kIgnoreEnd, .other = what});
}

template <Detector& detector_, auto& listener_>
bool Emitter<detector_, listener_>::honour_spins() {
  const Turn turn(recorder_);
  record({.kind = EventKind::kExpectSpins, .thread = kNoThread});
  return detector_.honour_spins();
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::expect_conditions() {
  const Turn turn(recorder_);
  detector_.expect_conditions();
  record({.kind = EventKind::kExpectConditions, .thread = kNoThread});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::observe_only() {
  const Turn turn(recorder_);
  detector_.observe_only();
  record({.kind = EventKind::kObserveOnly, .thread = kNoThread});
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::notify(Thread& thread, Event event) {
  event.thread = thread.id;
  listener_.on_event(thread, event);
  if (!wants_everything_) [[likely]]
    return;
  const Event kept = event;  // so that an event that nobody wants is never in memory
  listener_.on_everything(thread, kept);
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::publish(Thread& thread, Event event) {
  event.thread = thread.id;
  notify(thread, event);
  record(event);
}

template <Detector& detector_, auto& listener_>
void Emitter<detector_, listener_>::record(const Event& event) {
  if (!wants_everything_) [[likely]]
    return;
  const Event kept = event;
  if (recorder_ != nullptr) recorder_->record(recorder_->context, kept);
}

}  // namespace norn
