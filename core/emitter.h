// The seam between a front end and everything that hears of events.
//
// A front end emits each event of the program once, here, by the function that Detector has for it; the emitter gives
// it to the detector, to the front end's listener (hazards/hazard_listener.h), and to a recorder, if there is one. The
// listener is a part of the type: what it does not want costs nothing, because the kind of an event is known where it
// is emitted.
//
// What releases is emitted before the operation, what acquires after it. The detector hears of an event first; so a
// listener finds in Thread what the event made of it. A thread's exit is the exception: it is the last that is heard.
//
// The scheduler is no listener: a point (runtime/control/control.h) comes before the operation, which it may postpone,
// and an event says that something was done.
//
// Accesses have fast paths (docs/design/fastpath.md), which are the detector's alone. Where wants_every_access() the
// front end takes none of them: every access goes through access(), and the listener hears of it before the detector.
#pragma once

#include "core/detector.h"
#include "core/event.h"

namespace norn {

// What hears every event of all threads, in an order that agrees with that of each thread. Any thread calls it.
struct Recorder {
  void* context = nullptr;
  void (*record)(void* context, const Event& event) = nullptr;
};

// A listener has
//   void on_event(Thread& thread, const Event& event);  // inlined: `event.kind` is a constant
//   bool wants_everything() const;  // for the time being on_everything() is called, too
//   void on_everything(Thread& thread, const Event& event);
template <Detector& detector_, auto& listener_>
class Emitter {
 public:
  using Message = Detector::Message;

  constexpr Emitter() = default;
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  // Before the program has a second thread. The recorder stays for ever.
  void set_recorder(const Recorder& recorder) {
    recorder_ = &recorder;
    settle();
  }
  // After the listener changed its mind, before there is a second thread or in the child of a fork.
  void settle() { wants_everything_ = recorder_ != nullptr || listener_.wants_everything(); }

  // Whether accesses must not take the fast paths.
  [[nodiscard]] bool wants_every_access() const { return wants_everything_; }

  // --- threads
  [[nodiscard]] Thread* add_root(ThreadId id) {
    Thread* thread = detector_.add_root(id);
    if (thread != nullptr) publish(*thread, {.kind = EventKind::kThreadStart});
    return thread;
  }
  [[nodiscard]] Thread* fork(Thread& parent, ThreadId child) {
    Thread* thread = detector_.fork(parent, child);
    publish(parent, {.kind = EventKind::kThreadFork, .other = child});
    return thread;
  }
  void exit(Thread& thread) {
    publish(thread, {.kind = EventKind::kThreadExit});
    detector_.exit(thread);
  }
  void join(Thread& thread, ThreadId ended) {
    detector_.join(thread, ended);
    publish(thread, {.kind = EventKind::kThreadJoin, .other = ended});
  }
  void detach(Thread& thread, ThreadId other) {
    detector_.detach(thread, other);
    publish(thread, {.kind = EventKind::kThreadDetach, .other = other});
  }
  [[nodiscard]] Thread* fork_after(Thread& caller, Message& message, ThreadId child) {
    Thread* thread = detector_.fork_after(caller, message, child);
    publish(caller, {.kind = EventKind::kForkAfter, .address = number_of(message), .other = child});
    return thread;
  }
  void begin_again(Thread& thread, Message& message) {
    detector_.begin_again(thread, message);
    publish(thread, {.kind = EventKind::kBeginAgain, .address = number_of(message)});
  }

  // --- release clocks
  void give(Thread& thread, Message& message) {
    detector_.give(thread, message);
    publish(thread, {.kind = EventKind::kClockRelease, .address = number_of(message)});
  }
  void take(Thread& thread, Message& message) {
    detector_.take(thread, message);
    publish(thread, {.kind = EventKind::kClockAcquire, .address = number_of(message)});
  }
  void clear(Message& message) {
    detector_.clear(message);
    record({.kind = EventKind::kClockClear, .thread = kNoThread, .address = number_of(message)});
  }

  // --- memory
  template <class WhereOrCall>
  [[gnu::always_inline]] void access(Thread& thread, AccessKind kind, Address address, uint64_t size,
                                     const WhereOrCall& where, bool increments = false) {
    if (wants_every_access()) [[unlikely]] {
      StackId place = kNoStack;
      if constexpr (requires { where(); }) {
        place = where();
      } else {
        place = where;
      }
      Event event = {.kind = kind_of(kind), .where = place, .address = address, .size = size};
      event.counts = increments;
      publish(thread, event);
      detector_.access(thread, kind, address, size, place, increments);
      return;
    }
    detector_.access(thread, kind, address, size, where, increments);
  }
  // Of the libraries, on objects of theirs: the listener hears of the program's own accesses alone.
  void read(Thread& thread, Address address, uint64_t size, StackId where) {
    detector_.read(thread, address, size, where);
    record({.kind = EventKind::kRead, .thread = thread.id, .where = where, .address = address, .size = size});
  }
  void write(Thread& thread, Address address, uint64_t size, StackId where) {
    detector_.write(thread, address, size, where);
    record({.kind = EventKind::kWrite, .thread = thread.id, .where = where, .address = address, .size = size});
  }
  void use(Thread& thread, Address object, StackId where) {
    detector_.use(thread, object, where);
    publish(thread, {.kind = EventKind::kUse, .where = where, .address = object});
  }
  void allocate(Thread& thread, Address address, uint64_t size) {
    detector_.allocate(thread, address, size);
    publish(thread, {.kind = EventKind::kRenew, .address = address, .size = size});
  }
  void bear(Thread& thread, Address address, uint64_t size, StackId where) {
    detector_.bear(thread, address, size, where);
    publish(thread, {.kind = EventKind::kAllocate, .where = where, .address = address, .size = size});
  }
  void free(Thread& thread, Address address, uint64_t size, StackId where) {
    detector_.free(thread, address, size, where);
    publish(thread, {.kind = EventKind::kFree, .where = where, .address = address, .size = size});
  }
  void map(Thread& thread, Address address, uint64_t size) {
    detector_.map(thread, address, size);
    publish(thread, {.kind = EventKind::kMap, .address = address, .size = size});
  }
  void unmap(Thread& thread, Address address, uint64_t size) {
    detector_.unmap(thread, address, size);
    publish(thread, {.kind = EventKind::kUnmap, .address = address, .size = size});
  }
  [[nodiscard]] Epoch birth(Thread& thread) {
    const Epoch moment = detector_.birth(thread);
    publish(thread, {.kind = EventKind::kBirth});
    return moment;
  }
  void forget_accesses(Thread& thread, Address address, uint64_t size) {
    detector_.forget_accesses(thread, address, size);
    publish(thread, {.kind = EventKind::kForget, .address = address, .size = size});
  }
  void benign_range(Thread& thread, Address address, uint64_t size) {
    detector_.benign_range(thread, address, size);
    publish(thread, {.kind = EventKind::kBenignRange, .address = address, .size = size});
  }

  // --- atomics
  template <class Perform>
  [[gnu::always_inline]] void atomic(Thread& thread, Address address, uint64_t size, StackId where, Perform perform) {
    Detector::AtomicOutcome outcome = {};
    detector_.atomic(thread, address, size, where, [&] { return outcome = perform(); });
    publish(thread, {.kind = outcome.kind, .order = outcome.order, .where = where, .address = address, .size = size});
  }
  template <class Load>
  [[gnu::always_inline]] void atomic_load(Thread& thread, Address address, uint64_t size, MemoryOrder order,
                                          StackId where, Load load) {
    detector_.atomic_load(thread, address, size, order, where, load);
    publish(thread, {.kind = EventKind::kAtomicLoad, .order = order, .where = where, .address = address, .size = size});
  }
  void fence(Thread& thread, MemoryOrder order) {
    detector_.fence(thread, order);
    publish(thread, {.kind = EventKind::kFence, .order = order});
  }
  [[gnu::always_inline]] void before_unseen(Thread& thread, Address address, MemoryOrder order) {
    detector_.before_unseen(thread, address, order);
    publish(thread, {.kind = EventKind::kUnsampledBefore, .order = order, .address = address});
  }
  [[gnu::always_inline]] void after_unseen(Thread& thread, Address address, MemoryOrder order) {
    detector_.after_unseen(thread, address, order);
    publish(thread, {.kind = EventKind::kUnsampledAfter, .order = order, .address = address});
  }
  void leave_by_atomic(Thread& thread, Address address) {
    detector_.leave_by_atomic(thread, address);
    publish(thread, {.kind = EventKind::kLeaveByAtomic, .address = address});
  }

  // --- locks
  // `attempt`: kTry also for who does not know whether the thread would have waited.
  [[gnu::always_inline]] void lock_acquire(Thread& thread, Address lock, LockMode mode, LockAttempt attempt,
                                           StackId where, bool uses = false) {
    detector_.lock_acquire(thread, lock, mode, where, uses);
    Event event = {.kind = EventKind::kLockAcquire, .mode = mode, .attempt = attempt, .where = where, .address = lock};
    event.uses = uses;
    publish(thread, event);
  }
  [[gnu::always_inline]] void lock_release(Thread& thread, Address lock, LockMode mode) {
    detector_.lock_release(thread, lock, mode);
    publish(thread, {.kind = EventKind::kLockRelease, .mode = mode, .address = lock});
  }
  void lock_destroy(Thread& thread, Address lock) {
    detector_.lock_destroy(thread, lock);
    publish(thread, {.kind = EventKind::kLockDestroy, .address = lock});
  }
  bool lock_refused(Thread& thread, Address lock) {
    const bool known = detector_.lock_refused(thread, lock);
    if (known) publish(thread, {.kind = EventKind::kLockRefused, .address = lock});
    return known;
  }

  // --- other synchronization
  void signal(Thread& thread, Address condition) {
    detector_.signal(thread, condition);
    publish(thread, {.kind = EventKind::kSignal, .address = condition});
  }
  void wait_enter(Thread& thread, Address condition, Address mutex, bool in_loop) {
    detector_.wait_enter(thread, condition, mutex, in_loop);
    publish(thread, {.kind = EventKind::kWaitEnter, .in_loop = in_loop, .address = condition, .other = mutex});
  }
  void wait_leave(Thread& thread, Address condition, Address mutex, bool timed_out, StackId where) {
    detector_.wait_leave(thread, condition, mutex, timed_out, where);
    Event event = {.kind = EventKind::kWaitLeave, .where = where, .address = condition, .other = mutex};
    event.timed_out = timed_out;
    publish(thread, event);
  }
  void wait_loop_leave(Thread& thread, Address condition) {
    detector_.wait_loop_leave(thread, condition);
    publish(thread, {.kind = EventKind::kWaitLoopLeave, .address = condition});
  }
  void barrier_init(Thread& thread, Address barrier, uint32_t count) {
    detector_.barrier_init(thread, barrier, count);
    publish(thread, {.kind = EventKind::kBarrierInit, .address = barrier, .other = count});
  }
  void barrier_enter(Thread& thread, Address barrier) {
    detector_.barrier_enter(thread, barrier);
    publish(thread, {.kind = EventKind::kBarrierEnter, .address = barrier});
  }
  void barrier_leave(Thread& thread, Address barrier) {
    detector_.barrier_leave(thread, barrier);
    publish(thread, {.kind = EventKind::kBarrierLeave, .address = barrier});
  }
  void semaphore_post(Thread& thread, Address semaphore) {
    detector_.semaphore_post(thread, semaphore);
    publish(thread, {.kind = EventKind::kSemaphorePost, .address = semaphore});
  }
  void semaphore_wait(Thread& thread, Address semaphore) {
    detector_.semaphore_wait(thread, semaphore);
    publish(thread, {.kind = EventKind::kSemaphoreWait, .address = semaphore});
  }
  void once_done(Thread& thread, Address once) {
    detector_.once_done(thread, once);
    publish(thread, {.kind = EventKind::kOnceDone, .address = once});
  }
  void once_seen(Thread& thread, Address once) {
    detector_.once_seen(thread, once);
    publish(thread, {.kind = EventKind::kOnceSeen, .address = once});
  }
  void happens_before(Thread& thread, Address tag) {
    detector_.happens_before(thread, tag);
    publish(thread, {.kind = EventKind::kHappensBefore, .address = tag});
  }
  void happens_after(Thread& thread, Address tag) {
    detector_.happens_after(thread, tag);
    publish(thread, {.kind = EventKind::kHappensAfter, .address = tag});
  }
  void sync_destroy(Thread& thread, Address object) {
    detector_.sync_destroy(thread, object);
    publish(thread, {.kind = EventKind::kSyncDestroy, .address = object});
  }

  // --- loops that wait
  void spin_read(Thread& thread, Address address, uint64_t size, StackId where, bool in_loop = false) {
    detector_.spin_read(thread, address, size, where, in_loop);
    publish(thread,
            {.kind = EventKind::kSpinRead, .in_loop = in_loop, .where = where, .address = address, .size = size});
  }
  void spin_leave(Thread& thread) {
    detector_.spin_leave(thread);
    publish(thread, {.kind = EventKind::kSpinLeave});
  }
  void look(Thread& thread, Address address, uint64_t size) {
    detector_.look(thread, address, size);
    publish(thread, {.kind = EventKind::kLook, .address = address, .size = size});
  }
  void come_after_all(Thread& thread) {
    detector_.come_after_all(thread);
    publish(thread, {.kind = EventKind::kComeAfterAll});
  }
  void cut(Thread& thread) {
    detector_.cut(thread);
    publish(thread, {.kind = EventKind::kCut});
  }

  // --- what the program says of itself, or turns out to need
  void ignore_begin(Thread& thread, uint8_t what) {
    detector_.ignore_begin(thread, what);
    publish(thread, {.kind = EventKind::kIgnoreBegin, .other = what});
  }
  void ignore_end(Thread& thread, uint8_t what) {
    detector_.ignore_end(thread, what);
    publish(thread, {.kind = EventKind::kIgnoreEnd, .other = what});
  }
  [[nodiscard]] bool honour_spins() {
    record({.kind = EventKind::kExpectSpins, .thread = kNoThread});
    return detector_.honour_spins();
  }
  void expect_conditions() {
    detector_.expect_conditions();
    record({.kind = EventKind::kExpectConditions, .thread = kNoThread});
  }
  void observe_only() {
    detector_.observe_only();
    record({.kind = EventKind::kObserveOnly, .thread = kNoThread});
  }

 private:
  static constexpr EventKind kind_of(AccessKind kind) {
    switch (kind) {
      case AccessKind::kRead:
        return EventKind::kRead;
      case AccessKind::kAtomicRead:
        return EventKind::kAtomicLoad;
      case AccessKind::kFree:
        return EventKind::kFree;
      default:
        return EventKind::kWrite;
    }
  }
  // A release clock is known by its address.
  static Address number_of(const Message& message) { return reinterpret_cast<Address>(&message); }

  [[gnu::always_inline]] void publish(Thread& thread, Event event) {
    event.thread = thread.id;
    listener_.on_event(thread, event);
    if (!wants_everything_) [[likely]]
      return;
    const Event kept = event;  // so that an event that nobody wants is never in memory
    listener_.on_everything(thread, kept);
    if (recorder_ != nullptr) recorder_->record(recorder_->context, kept);
  }
  // What has no thread, or is not the program's own doing.
  [[gnu::always_inline]] void record(const Event& event) {
    if (!wants_everything_) [[likely]]
      return;
    const Event kept = event;
    if (recorder_ != nullptr) recorder_->record(recorder_->context, kept);
  }

  bool wants_everything_ = false;
  const Recorder* recorder_ = nullptr;
};

}  // namespace norn
