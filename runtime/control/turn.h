// The turn, for the files that make up controlled execution (control.h is for all others): who has it, who waits for
// it, and how it goes on.
#pragma once

#include "runtime/control/control.h"
#include "runtime/control/slots.h"
#include "runtime/intercept/signals.h"
#include "schedule/strategy.h"

namespace norn::rt::control {

extern constinit SpinMutex mutex;  // of everything here but `go` and `status` of a slot
extern constinit Slot slots[schedule::kMaxThreads];
extern constinit uint32_t high;  // all slots from here on are free
extern constinit Slot* holder;   // who has the turn; null: everyone waits
extern constinit schedule::Strategy* strategy;

// The C library may create threads that nobody announces.
extern constinit std::atomic<bool> callbacks_may_come;

extern NORN_TLS __thread Slot* current_slot;

// --- under the mutex -------------------------------------------------------------------------------------------------

[[nodiscard]] bool any_with(Status status, Waiting waiting = Waiting::kNothing);
void make_ready(Slot& slot, Woken why);
[[nodiscard]] bool waits_for(const Slot& slot, uint64_t object);
// Whoever waits for the object wakes.
void wake_waiters(uint64_t object);

// The turn goes to whoever is chosen; null: nobody can go on yet. If it is not the caller, who keeps it, wake() must
// follow when the mutex is free again: else the next one would soon have to wait for it, which takes long where
// processors are rare.
[[nodiscard]] Slot* hand_on(Slot* self);

// --- without it ------------------------------------------------------------------------------------------------------

// Whom the turn was given to goes on. Nothing for null.
void wake(Slot* next);

// --- waiting for the turn --------------------------------------------------------------------------------------------

// Outside, signals blocked, without the mutex. `mask`: what is blocked otherwise.
void await_turn(Slot& self, SignalMask mask);
// The thread was without the turn, in the kernel: it queues for it.
void come_back(Slot& self);

// The calling thread, inside, with the mutex; leaves both when it has handed the turn on, and comes back with it.
class Choice {
 public:
  explicit Choice(Slot& self);
  ~Choice();
  Choice(const Choice&) = delete;
  Choice& operator=(const Choice&) = delete;

  // Whoever is chosen goes on; returns when that is the caller.
  void take();
  // The turn is not ours to give.
  void await() { await(nullptr); }

 private:
  void await(Slot* next);

  Slot& self_;
  ThreadState& state_;
  bool entered_ = false;
  bool done_ = false;
};

// --- what other files of controlled execution do for the turn
// ----------------------------------------------------------

// control_time.cc, under the mutex. Threads whose time has come wake.
void expire();
// Time goes on to when the first of the sleepers wakes; false if there is none.
bool pass_time();
// Time goes on to when this sleeper wakes, and whoever else waits for a time does so for that much longer: waking late
// is always right, and nobody's patience ends because others were not chosen.
void wake_early(Slot& sleeper);
// control_kernel.cc, under the mutex. Threads with a descriptor that became ready wake; true if there is any. Waits so
// many milliseconds for one.
bool look_at_files(long milliseconds);
// control_threads.cc. What the C library does at the end of threads that had the turn is over.
void wait_for_dying();
// A thread that nobody created, or whose creator the runtime did not see; null if there are too many.
Slot* adopt(ThreadState& state);
// watchdog.cc. The turn was given to somebody.
void watch_from_now();
// By a thread that has waited for a tick: do things go on without it?
void look_after(Slot& self, SignalMask mask);
// control_waits.cc. Neither a lock nor the routine of another is given up for a signal.
[[nodiscard]] bool can_be_interrupted(Waiting waiting);

}  // namespace norn::rt::control
