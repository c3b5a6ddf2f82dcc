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
//
// The functions are defined in core/emitter_inline.h, which is for those who emit so often that it matters, and for the
// one source of a front end that instantiates the class for all others.
#pragma once

#include "core/access_kind.h"
#include "core/event.h"

namespace norn {

class Detector;
struct ReleaseClock;
struct Thread;

// What hears every event of all threads. Any thread calls it, and threads call it at once. The order agrees with that
// of each thread; what releases is heard before what acquires it; atomic operations on one location are heard in the
// order in which they took effect: under the location's lock, so that a recorder must not wait for the program, nor
// emit. (Where the option `library` is off the core knows no locations, and the order of different threads' atomics is
// open.)
struct Recorder {
  void* context = nullptr;
  void (*record)(void* context, const Event& event) = nullptr;
  // Around all that is done for one event: what the detector makes of it, the operation itself where the emitter does
  // it, and record(). So whoever takes turns here hears of events in the very order in which the detector does. They
  // may become null, for good.
  void (*begin)(void* context) = nullptr;
  void (*end)(void* context) = nullptr;
};

// A listener has
//   void on_event(Thread& thread, const Event& event);  // inlined: `event.kind` is a constant
//   bool wants_everything() const;  // for the time being on_everything() is called, too
//   void on_everything(Thread& thread, const Event& event);
template <Detector& detector_, auto& listener_>
class Emitter {
 public:
  constexpr Emitter() = default;
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;

  // Before the program has a second thread. The recorder stays for ever.
  void set_recorder(const Recorder& recorder) {
    recorder_ = &recorder;
    settle();
  }
  // After the listener changed its mind, before there is a second thread or in the child of a fork.
  void settle();

  // Whether accesses must not take the fast paths.
  [[nodiscard]] bool wants_every_access() const { return wants_everything_; }

  // --- threads
  [[nodiscard]] Thread* add_root(ThreadId id);
  [[nodiscard]] Thread* fork(Thread& parent, ThreadId child);
  void exit(Thread& thread);
  void join(Thread& thread, ThreadId ended);
  void detach(Thread& thread, ThreadId other);
  [[nodiscard]] Thread* fork_after(Thread& caller, ReleaseClock& clock, ThreadId child);
  void begin_again(Thread& thread, ReleaseClock& clock);

  // --- release clocks
  void clock_release(Thread& thread, ReleaseClock& clock);
  void clock_acquire(Thread& thread, ReleaseClock& clock);
  void clock_clear(ReleaseClock& clock);

  // --- memory
  template <class WhereOrCall>
  [[gnu::always_inline]] void access(Thread& thread, AccessKind kind, Address address, uint64_t size,
                                     const WhereOrCall& where, bool increments = false);
  // Of the libraries, on objects of theirs: the listener hears of the program's own accesses alone.
  void read(Thread& thread, Address address, uint64_t size, StackId where);
  void write(Thread& thread, Address address, uint64_t size, StackId where);
  void use(Thread& thread, Address object, StackId where);
  void allocate(Thread& thread, Address address, uint64_t size);
  void bear(Thread& thread, Address address, uint64_t size, StackId where);
  void free(Thread& thread, Address address, uint64_t size, StackId where);
  void map(Thread& thread, Address address, uint64_t size);
  void unmap(Thread& thread, Address address, uint64_t size);
  [[nodiscard]] Epoch birth(Thread& thread);
  void forget_accesses(Thread& thread, Address address, uint64_t size);
  void benign_range(Thread& thread, Address address, uint64_t size);

  // --- atomics
  template <class Perform>
  [[gnu::always_inline]] void atomic(Thread& thread, Address address, uint64_t size, StackId where, Perform perform);
  template <class Load>
  [[gnu::always_inline]] void atomic_load(Thread& thread, Address address, uint64_t size, MemoryOrder order,
                                          StackId where, Load load);
  void fence(Thread& thread, MemoryOrder order);
  [[gnu::always_inline]] void before_unsampled(Thread& thread, Address address, MemoryOrder order);
  [[gnu::always_inline]] void after_unsampled(Thread& thread, Address address, MemoryOrder order);
  void leave_by_atomic(Thread& thread, Address address);

  // --- locks
  // `attempt`: kTry also for who does not know whether the thread would have waited.
  [[gnu::always_inline]] void lock_acquire(Thread& thread, Address lock, LockMode mode, LockAttempt attempt,
                                           StackId where, bool uses = false);
  [[gnu::always_inline]] void lock_release(Thread& thread, Address lock, LockMode mode);
  void lock_destroy(Thread& thread, Address lock);
  bool lock_refused(Thread& thread, Address lock);

  // --- other synchronization
  void signal(Thread& thread, Address condition);
  void broadcast(Thread& thread, Address condition);
  void wait_enter(Thread& thread, Address condition, Address mutex, bool in_loop);
  void wait_leave(Thread& thread, Address condition, Address mutex, bool timed_out, StackId where);
  void wait_loop_leave(Thread& thread, Address condition);
  void barrier_init(Thread& thread, Address barrier, uint32_t count);
  void barrier_enter(Thread& thread, Address barrier);
  void barrier_leave(Thread& thread, Address barrier);
  void semaphore_post(Thread& thread, Address semaphore);
  void semaphore_wait(Thread& thread, Address semaphore);
  void once_done(Thread& thread, Address once);
  void once_seen(Thread& thread, Address once);
  void happens_before(Thread& thread, Address tag);
  void happens_after(Thread& thread, Address tag);
  void sync_destroy(Thread& thread, Address object);

  // --- loops that wait
  void spin_read(Thread& thread, Address address, uint64_t size, StackId where, bool in_loop = false);
  void spin_leave(Thread& thread);
  void look(Thread& thread, Address address, uint64_t size);
  void come_after_all(Thread& thread);
  void cut(Thread& thread);

  // --- what the program says of itself, or turns out to need
  void ignore_begin(Thread& thread, uint8_t what);
  void ignore_end(Thread& thread, uint8_t what);
  [[nodiscard]] bool honour_spins();
  void expect_conditions();
  void observe_only();

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
  static Address number_of(const ReleaseClock& clock) { return reinterpret_cast<Address>(&clock); }

  // To the listener and to the recorder.
  [[gnu::always_inline]] void publish(Thread& thread, Event event);
  // To the listener alone.
  [[gnu::always_inline]] void notify(Thread& thread, Event event);
  // To the recorder alone: what has no thread, what is not the program's own doing, and atomics, which it hears
  // earlier.
  [[gnu::always_inline]] void record(const Event& event);

  // A recorder's turn.
  class Turn {
   public:
    [[gnu::always_inline]] explicit Turn(const Recorder* recorder) : recorder_(recorder) {
      if (recorder_ != nullptr) [[unlikely]]
        call(__atomic_load_n(&recorder_->begin, __ATOMIC_RELAXED));
    }
    [[gnu::always_inline]] ~Turn() {
      if (recorder_ != nullptr) [[unlikely]]
        call(__atomic_load_n(&recorder_->end, __ATOMIC_RELAXED));
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    void call(void (*function)(void* context)) const {
      if (function != nullptr) function(recorder_->context);
    }
    const Recorder* recorder_;
  };

  bool wants_everything_ = false;
  const Recorder* recorder_ = nullptr;
};

}  // namespace norn
