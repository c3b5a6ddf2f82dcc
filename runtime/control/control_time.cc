// The virtual clock: it stands still while anyone can run, and goes on to the next sleeper's end when nobody can. One
// sleep in two may end earlier than that: it is then a choice like any other.
#include "runtime/control/decisions.h"
#include "runtime/control/standstill.h"
#include "runtime/control/turn.h"

namespace norn::rt::control {
namespace {

constinit Time clock_now = 0;

constexpr Time kSecond = 1'000'000'000;
// What the clocks show when the program starts: always the same.
constexpr Time kRealStart = 1'767'225'600 * kSecond;  // the first second of 2026
constexpr Time kMonotonicStart = 100'000 * kSecond;

Time start_of(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return kRealStart;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
      return 0;
    default:
      return kMonotonicStart;
  }
}

}  // namespace

void expire() {
  for (uint32_t i = 0; i < high; ++i) {
    Slot& slot = slots[i];
    if (slot.status.load(std::memory_order_relaxed) == Status::kWaiting && slot.until <= clock_now) {
      make_ready(slot, Woken::kTimeout);
    }
  }
}

bool pass_time() {
  Time next = kForever;
  for (uint32_t i = 0; i < high; ++i) {
    const Slot& slot = slots[i];
    if (slot.status.load(std::memory_order_relaxed) == Status::kWaiting && slot.until < next) next = slot.until;
  }
  if (next == kForever) return false;
  if (next > clock_now) {
    outcome->slept += next - clock_now;
    clock_now = next;
  }
  expire();
  return true;
}

void wake_early(Slot& sleeper) {
  const Time passed = sleeper.until > clock_now ? sleeper.until - clock_now : 0;
  clock_now += passed;
  outcome->slept += passed;
  for (uint32_t i = 0; i < high; ++i) {
    Slot& slot = slots[i];
    if (slot.status.load(std::memory_order_relaxed) != Status::kWaiting || &slot == &sleeper) continue;
    slot.until = slot.until < kForever - passed ? slot.until + passed : kForever;
  }
  make_ready(sleeper, Woken::kTimeout);
}

Woken sleep(Time until, const norn_site& site) {
  current_slot->last_until = until;  // for standstill, at the point already
  point(Op::kSleep, nullptr, &site);
  const Woken woken = wait(Waiting::kTime, nullptr, until);
  if (standstill.is_watching()) Standstill::clear_stack_below();
  return woken;
}

Time now() {
  const Inspection here;
  const SpinLock lock(mutex);
  return clock_now;
}

timespec read_clock(clockid_t clock) {
  // Whoever waits by looking at the clock gets there sooner the longer it looks.
  constexpr uint32_t kPatient = 64;
  Slot* self = current_slot;
  if (self != nullptr) ++self->clock_looks;
  const Time step = self != nullptr && self->clock_looks > kPatient ? 100'000 : 1'000;
  Time time = 0;
  {
    const Inspection here;
    const SpinLock lock(mutex);
    standstill.changed();
    clock_now += step;
    time = start_of(clock) + clock_now;
  }
  return {static_cast<time_t>(time / kSecond), static_cast<long>(time % kSecond)};
}

Time deadline(clockid_t clock, const timespec* until) {
  if (until == nullptr) return kForever;
  const Time begin = start_of(clock);
  if (until->tv_sec < 0) return 0;
  if (static_cast<Time>(until->tv_sec) > Time{1} << 33) return kForever - 1;
  const Time time = static_cast<Time>(until->tv_sec) * kSecond + static_cast<Time>(until->tv_nsec);
  return time <= begin ? 0 : time - begin;
}

Time after(const timespec& duration) {
  if (duration.tv_sec < 0) return 0;
  if (static_cast<Time>(duration.tv_sec) > Time{1} << 33) return kForever - 1;
  if (current_slot != nullptr) current_slot->clock_looks = 0;
  return now() + static_cast<Time>(duration.tv_sec) * kSecond + static_cast<Time>(duration.tv_nsec);
}

}  // namespace norn::rt::control
