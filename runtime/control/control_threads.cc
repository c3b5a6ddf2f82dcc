// Threads under control: their places, beginnings and ends.
#include <linux/futex.h>

#include "norn/site.h"
#include "runtime/control/decisions.h"
#include "runtime/control/predicates.h"
#include "runtime/control/turn.h"
#include "runtime/intercept/signals.h"
#include "runtime/process/mode.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"

namespace norn::rt::control {
namespace {

// What the C library does at a thread's very end (its caches go back to the heap) comes after the turn went on. Whoever
// gets it waits for that: else the addresses of the next allocations would be anyone's guess.
constexpr uint32_t kMaxDying = 64;
constinit std::atomic<uint32_t> dying[kMaxDying];

void add_dying(uint32_t tid) {
  if (tid == rt::start.pid) return;  // the first thread's number stays as long as the process
  for (std::atomic<uint32_t>& place : dying) {
    if (place.load(std::memory_order_relaxed) != 0) continue;
    place.store(tid, std::memory_order_relaxed);
    return;
  }
}

}  // namespace

void wait_for_dying() {
  for (std::atomic<uint32_t>& place : dying) {
    const uint32_t tid = place.load(std::memory_order_relaxed);
    if (tid == 0) continue;
    const uint64_t begin = sys::now();
    while (sys::call(__NR_tgkill, rt::start.pid, tid, 0) == 0 && sys::now() - begin < 200'000) sys::yield();
    place.store(0, std::memory_order_relaxed);
  }
}

constinit std::atomic<bool> callbacks_may_come{false};

void expect_callbacks() { callbacks_may_come.store(true, std::memory_order_relaxed); }

Slot* adopt(ThreadState& state) {
  const uint32_t number = reserve(state.id);
  if (number == kNoSlot) return nullptr;
  Slot& self = slots[number];
  self.state = &state;
  self.tid = sys::tid();
  current_slot = &self;
  const SpinLock lock(mutex);
  self.status.store(Status::kOutside, std::memory_order_relaxed);
  return &self;
}

uint32_t reserve(ThreadId id) {
  const Inspection here;
  const SpinLock lock(mutex);
  uint32_t number = 0;
  while (number < high && slots[number].status.load(std::memory_order_relaxed) != Status::kFree) ++number;
  if (number == schedule::kMaxThreads) return kNoSlot;
  if (number == high) ++high;
  Slot& slot = slots[number];
  slot.number = number;
  slot.id = id;
  slot.state = nullptr;
  slot.step = {number, Op::kBegin, false, 0, 0, 0};
  slot.until = slot.last_until = kForever;
  slot.waiting = Waiting::kNothing;
  slot.behind = nullptr;
  slot.gathering = {};
  slot.cancelled = false;
  slot.armed = false;
  slot.visits = {.patience = 1};
  slot.unsettled = {};
  slot.go.store(0, std::memory_order_relaxed);
  slot.arrived.store(0, std::memory_order_relaxed);
  slot.status.store(Status::kReserved, std::memory_order_relaxed);
  ++outcome->threads;
  uint32_t living = 0;
  for (uint32_t i = 0; i < high; ++i) living += slots[i].status.load() != Status::kFree ? 1 : 0;
  if (living > outcome->most_threads) outcome->most_threads = living;
  return number;
}

void release(uint32_t slot) {
  if (slot == kNoSlot) return;
  slots[slot].status.store(Status::kFree, std::memory_order_relaxed);
}

void created(uint32_t slot) {
  if (slot == kNoSlot) return;
  Slot& child = slots[slot];
  while (child.arrived.load(std::memory_order_acquire) == 0) {
    sys::call(__NR_futex, sys::as_long(&child.arrived), FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, 0);
  }
  const Inspection here;
  const SpinLock lock(mutex);
  child.status.store(Status::kReady, std::memory_order_relaxed);
}

void begin(uint32_t slot) {
  if (slot == kNoSlot) return;
  Slot& self = slots[slot];
  self.state = current_state;
  self.tid = sys::tid();
  self.top = __norn_stack;
  current_slot = &self;
  self.arrived.store(1, std::memory_order_release);
  sys::call(__NR_futex, sys::as_long(&self.arrived), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1);
  const SignalMask mask = block_signals();
  await_turn(self, mask);
  set_signal_mask(mask);
}

void end() {
  Slot* self = current_slot;
  if (self == nullptr || !is_controlled()) return;
  if (watches_predicates) look_at_predicates(*self, self->behind, nullptr);
  current_slot = nullptr;
  // What comes now is the C library's, with signals as they are.
  const SignalMask mask = block_signals();
  Slot* next = nullptr;
  {
    const SpinLock lock(mutex);
    wake_waiters(address_of(self));
    add_dying(self->tid);
    const bool had_turn = holder == self;
    self->status.store(Status::kFree, std::memory_order_relaxed);
    self->state = nullptr;
    strategy->ended(self->number);
    if (had_turn || holder == nullptr) next = hand_on(nullptr);
  }
  wake(next);
  set_signal_mask(mask);
}

Woken join(ThreadId id, Time until) {
  for (;;) {
    const Slot* target = nullptr;
    {
      const Inspection here;
      const SpinLock lock(mutex);
      for (uint32_t i = 0; i < high; ++i) {
        if (slots[i].status.load(std::memory_order_relaxed) != Status::kFree && slots[i].id == id) target = &slots[i];
      }
    }
    if (target == nullptr) return Woken::kWoken;
    const Woken woken = wait(Waiting::kThread, target, until);
    if (woken != Woken::kWoken) return woken;
  }
}

}  // namespace norn::rt::control
