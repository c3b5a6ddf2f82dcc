// The turn: who has it, who waits for it, and how it goes on.
#include "runtime/control/turn.h"

#include <errno.h>
#include <linux/futex.h>

#include "norn/site.h"
#include "runtime/control/deadlock.h"
#include "runtime/control/decisions.h"
#include "runtime/control/standstill.h"
#include "runtime/control/values.h"
#include "runtime/inputs/inputs.h"
#include "runtime/intercept/signals.h"
#include "runtime/process/syscalls.h"

namespace norn::rt::control {

constinit SpinMutex mutex;
constinit Slot slots[schedule::kMaxThreads];
constinit uint32_t high = 0;
constinit Slot* holder = nullptr;
constinit schedule::Strategy* strategy = nullptr;
NORN_TLS __thread Slot* current_slot = nullptr;

namespace {

using schedule::Enabled;
using schedule::Step;

constinit Step enabled[schedule::kMaxThreads];

// So often time may pass for the sake of threads that are held back, before one of them is let go.
constexpr uint32_t kJumpsForHeldBack = 100;
constinit uint32_t jumps_for_held_back = 0;

// So often time may pass before it is asked whether anybody gets on.
constexpr uint32_t kQuietJumps = 100;
constinit uint32_t quiet_jumps = 0;

constexpr long kIdlePoll = 10;       // milliseconds to wait for descriptors when nobody can run
constexpr uint64_t kTick = 100'000;  // microseconds between two looks of a waiting thread at the holder

}  // namespace

void make_ready(Slot& slot, Woken why) {
  slot.woken = why;
  slot.until = kForever;
  slot.status.store(Status::kReady, std::memory_order_relaxed);
}

bool waits_for(const Slot& slot, uint64_t object) {
  return slot.status.load(std::memory_order_relaxed) == Status::kWaiting && slot.object == object &&
         slot.waiting != Waiting::kTime && slot.waiting != Waiting::kFile;
}

void wake_waiters(uint64_t object) {
  for (uint32_t i = 0; i < high; ++i) {
    if (waits_for(slots[i], object)) make_ready(slots[i], Woken::kWoken);
  }
}

bool any_with(Status status, Waiting waiting) {
  for (uint32_t i = 0; i < high; ++i) {
    if (slots[i].status.load(std::memory_order_relaxed) != status) continue;
    if (waiting == Waiting::kNothing || slots[i].waiting == waiting) return true;
  }
  return false;
}

namespace {

uint32_t list_enabled() {
  uint32_t count = 0;
  for (uint32_t i = 0; i < high; ++i) {
    const Status status = slots[i].status.load(std::memory_order_relaxed);
    if (status != Status::kReady && !slots[i].is_early_sleeper()) continue;
    enabled[count] = slots[i].step;
    enabled[count++].idle = slots[i].is_idle();
  }
  return count;
}

bool are_idle(const Step* steps, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (!steps[i].idle) return false;
  }
  return true;
}

bool are_asleep(const Step* steps, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    if (!slots[steps[i].thread].is_early_sleeper()) return false;
  }
  return true;
}

// Something happened that those may have waited for who only yield.
void expect_again() {
  for (uint32_t i = 0; i < high; ++i) slots[i].yields = 0;
}

// Which write the step reads from goes to the outcome.
constinit schedule::LastWrites last_writes;
void note_reads_from(const Step& step) {
  if (step.address == 0) return;
  outcome->pairs.add(last_writes.pair_of(step));
  last_writes.note(step);
}

[[noreturn]] void end_by_standstill(uint32_t pollers) {
  outcome->pollers = pollers;
  end_by_deadlock(slots, high, pollers);
}

// Time passes since nobody can run but by that.
bool pass_quietly() {
  if (!pass_time()) return false;
  if (++quiet_jumps % kQuietJumps == 0) standstill.suspect();
  return true;
}

// Who goes on; null: nobody can.
Slot* choose(Slot* running) {
  for (;;) {
    expire();
    if (inputs::replaying) inputs::come();
    look_at_files(0);
    const uint32_t count = list_enabled();
    if (count == 0) {
      const bool may_come = any_with(Status::kWaiting, Waiting::kFile);
      if (!inputs::replaying && may_come && look_at_files(kIdlePoll)) continue;
      if (inputs::replaying && inputs::come_to_idle()) continue;
      if (pass_quietly()) continue;
      if (inputs::replaying && inputs::come_to_stop()) continue;
      if (inputs::replaying && may_come && look_at_files(kIdlePoll)) continue;
      return nullptr;
    }
    if (are_asleep(enabled, count)) {
      if (inputs::replaying && inputs::come_to_idle()) continue;
      if (pass_quietly()) continue;
    }
    if (are_idle(enabled, count)) {
      expect_again();
      standstill.suspect();
      if (inputs::replaying && inputs::come_to_idle()) continue;
      if (pass_time()) continue;
    }
    if (const uint32_t pollers = standstill.pollers(); pollers != 0) end_by_standstill(pollers);
    const Enabled all = {enabled, count, running == nullptr ? schedule::kNobody : running->number};
    const uint32_t index = strategy->choose(all);
    if (index == schedule::kNobody) {
      expect_again();
      if (jumps_for_held_back < kJumpsForHeldBack && pass_time()) {
        ++jumps_for_held_back;
        continue;
      }
      if (jumps_for_held_back == kJumpsForHeldBack) ++outcome->starved;
      jumps_for_held_back = 0;
      ++outcome->let_go;
      strategy->let_go(all);
      continue;
    }
    Slot& chosen = slots[all[index].thread];
    if (chosen.is_early_sleeper()) wake_early(chosen);
    mark_state(all);
    record({static_cast<uint16_t>(chosen.number), static_cast<uint8_t>(chosen.step.op),
            static_cast<uint8_t>(count < 255 ? count : 255), chosen.step.site});
    note_reads_from(chosen.step);
    note_look(chosen.step);
    record_statement(chosen.step);
    note_goes_on(chosen.step);
    if (&chosen != running && running != nullptr) {
      ++outcome->switches;
      if (all.index_of(running->number) != schedule::kNobody && running->step.op != Op::kYield) ++outcome->preemptions;
    }
    const uint32_t met = schedule::met_by(all, index);
    if (met != schedule::kNobody)
      record_meeting(all[index], all[met], slots[all[index].thread].id, slots[all[met].thread].id);
    return &chosen;
  }
}

// Whether a thread outside can come back though nobody does anything. Not from a gathering, where it is as long as not
// all have come; but who is parked ends when somebody waits for that.
bool may_come_back(const Slot& slot) {
  if (slot.gathering.number == 0 || work_to_take.load(std::memory_order_relaxed) != 0) return true;
  return slot.gathering.parks && any_with(Status::kWaiting, Waiting::kThread);
}

bool anyone_may_come_back() {
  if (callbacks_may_come.load(std::memory_order_relaxed)) return true;
  for (uint32_t i = 0; i < high; ++i) {
    if (slots[i].status.load(std::memory_order_relaxed) == Status::kOutside && may_come_back(slots[i])) return true;
  }
  return false;
}

}  // namespace

Slot* hand_on(Slot* self) {
  holder = nullptr;
  Slot* next = choose(self);
  if (next != nullptr) {
    holder = next;
    watch_from_now();
    next->status.store(Status::kRunning, std::memory_order_relaxed);
    return next;
  }
  // Someone may still come back from the kernel, or another process may do something.
  if (anyone_may_come_back() || any_with(Status::kWaiting, Waiting::kOutsider) ||
      any_with(Status::kWaiting, Waiting::kFile) || !any_with(Status::kWaiting)) {
    return nullptr;
  }
  uint32_t waiting = 0;
  for (uint32_t i = 0; i < high; ++i) waiting += slots[i].is_stuck() ? 1 : 0;
  outcome->deadlocked = waiting;
  end_by_deadlock(slots, high, 0);
}

void wake(Slot* next) {
  if (next == nullptr) return;
  next->go.store(1, std::memory_order_release);
  sys::call(__NR_futex, sys::as_long(&next->go), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
}

void await_turn(Slot& self, SignalMask mask) {
  while (self.go.load(std::memory_order_acquire) == 0) {
    const bool idle = holder == nullptr;
    const timespec tick = {0, idle ? 1'000'000 : static_cast<long>(kTick) * 1000};
    const long result =
        sys::call(__NR_futex, sys::as_long(&self.go), FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, sys::as_long(&tick));
    if (result == -ETIMEDOUT && self.go.load(std::memory_order_acquire) == 0) look_after(self, mask);
  }
  self.go.store(0, std::memory_order_relaxed);
  wait_for_dying();
}

Choice::Choice(Slot& self) : self_(self), state_(*current_state) {
  entered_ = enter(state_);
  mutex.lock();
}

Choice::~Choice() {
  if (!done_) mutex.unlock();
  if (entered_) leave(state_);
}

void Choice::take() {
  self_.top = __norn_stack;
  Slot* next = hand_on(&self_);
  if (next != &self_) await(next);
}

void Choice::await(Slot* next) {
  const SignalMask mask = block_signals();
  mutex.unlock();
  done_ = true;
  wake(next);
  if (entered_) leave(state_);
  entered_ = false;
  await_turn(self_, mask);
  set_signal_mask(mask);
}

void come_back(Slot& self) {
  self.step = {self.number, Op::kReturn, false, 0, 0, 0};
  self.gathering = {};
  Choice choice(self);
  ++outcome->kernel_returns;
  self.status.store(Status::kReady, std::memory_order_relaxed);
  if (holder == nullptr) {
    choice.take();
  } else {
    self.top = __norn_stack;
    choice.await();
  }
}

}  // namespace norn::rt::control
