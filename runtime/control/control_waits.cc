// Waiting for what other threads of the program do, and waking those who wait.
#include "norn/site.h"
#include "runtime/control/deadlock.h"
#include "runtime/control/decisions.h"
#include "runtime/control/turn.h"
#include "runtime/process/mode.h"

namespace norn::rt::control {

// Of so many sleeps, one may end while others can run. (A strategy that answers 0 wants none.)
static constexpr uint32_t kSleepsForOneEarly = 2;

bool can_be_interrupted(Waiting waiting) { return waiting != Waiting::kLock && waiting != Waiting::kOnce; }

static bool has_ended(const volatile void* slot) {
  return static_cast<const volatile Slot*>(slot)->status.load(std::memory_order_relaxed) == Status::kFree;
}

Woken wait(Waiting waiting, const volatile void* object, Time until) {
  Slot& self = *current_slot;
  if (self.cancelled && can_be_interrupted(waiting)) {
    self.cancelled = false;
    return Woken::kInterrupted;
  }
  Choice choice(self);
  // A thread outside needs no turn to end: it may have, since the caller looked.
  if (waiting == Waiting::kThread && has_ended(object)) return Woken::kWoken;
  self.waiting = waiting;
  self.object = address_of(object);
  self.until = until;
  if (until != kForever) self.last_until = until;
  self.woken = Woken::kWoken;
  self.wakes_early = waiting == Waiting::kTime && until != kForever && pick(kSleepsForOneEarly) == 1;
  self.step.sites = 0;
  self.status.store(Status::kWaiting, std::memory_order_relaxed);
  if (const uint32_t length = length_of_cycle(slots, high, self); length != 0) {
    self.top = __norn_stack;
    outcome->deadlocked = length;
    end_by_deadlock(slots, high, 0);
  }
  choice.take();
  self.waiting = Waiting::kNothing;
  return self.woken;
}

void interrupt(ThreadId id, bool cancels) {
  const Inspection here;
  const SpinLock lock(mutex);
  for (uint32_t i = 0; i < high; ++i) {
    Slot& slot = slots[i];
    if (slot.id != id || slot.status.load(std::memory_order_relaxed) == Status::kFree) continue;
    if (slot.status.load(std::memory_order_relaxed) == Status::kWaiting && can_be_interrupted(slot.waiting)) {
      make_ready(slot, Woken::kInterrupted);
    } else {
      slot.cancelled = slot.cancelled || cancels;
    }
  }
}

void wake_all(const volatile void* object) {
  const Inspection here;
  const SpinLock lock(mutex);
  wake_waiters(address_of(object));
}

void wake_one(const volatile void* object) {
  const Inspection here;
  const SpinLock lock(mutex);
  uint32_t count = 0;
  for (uint32_t i = 0; i < high; ++i) count += waits_for(slots[i], address_of(object)) ? 1 : 0;
  if (count == 0) return;
  uint32_t chosen = pick(count);
  for (uint32_t i = 0; i < high; ++i) {
    if (!waits_for(slots[i], address_of(object)) || chosen-- != 0) continue;
    make_ready(slots[i], Woken::kWoken);
    return;
  }
}

uint32_t waiters(const volatile void* object) {
  const Inspection here;
  const SpinLock lock(mutex);
  uint32_t count = 0;
  for (uint32_t i = 0; i < high; ++i) count += waits_for(slots[i], address_of(object)) ? 1 : 0;
  return count;
}

namespace {

struct Routine {
  uint64_t control;  // 0: none
  const Slot* runner;
};
constexpr uint32_t kMaxRoutines = 256;
constinit Routine routines[kMaxRoutines] = {};

Routine* find_routine(uint64_t control) {
  for (Routine& routine : routines) {
    if (routine.control == control) return &routine;
  }
  return nullptr;
}

}  // namespace

void await_routine(const volatile void* control, Waiting waiting) {
  for (;;) {
    {
      const Inspection here;
      const SpinLock lock(mutex);
      const Routine* running = find_routine(address_of(control));
      // Its own, again: the library knows what to say of that.
      if (running == nullptr || running->runner == current_slot) return;
    }
    wait(waiting, control);
  }
}

void begin_routine(const volatile void* control) {
  if (!is_controlled() || !active()) return;
  const Inspection here;
  const SpinLock lock(mutex);
  if (Routine* place = find_routine(0); place != nullptr) *place = {address_of(control), current_slot};
}

void end_routine(const volatile void* control) {
  if (!is_controlled() || !active()) return;
  {
    const Inspection here;
    const SpinLock lock(mutex);
    if (Routine* place = find_routine(address_of(control)); place != nullptr) *place = {};
  }
  wake_all(control);
}

const char* name_of(Waiting waiting) {
  constexpr const char* kNames[] = {"nothing",      "a lock",      "a condition variable", "a thread to end",
                                    "a barrier",    "a semaphore", "a once routine",       "a futex",
                                    "time to pass", "a file",      "another process"};
  return kNames[static_cast<size_t>(waiting)];
}

}  // namespace norn::rt::control
