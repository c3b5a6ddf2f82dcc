// A thread that has waited long looks whether things go on without it: the watchdog (RaceFuzzer's monitor, §4). Real
// time, for what is not under control.
#include <fcntl.h>

#include "runtime/control/decisions.h"
#include "runtime/control/turn.h"
#include "runtime/control/values.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"

namespace norn::rt::control {
namespace {

// The holder's time without points and accesses after which the turn is taken from it, in microseconds.
constexpr uint64_t kBlockedUnseen = 1'000'000;  // it sleeps in the kernel, and has not run in between
constexpr uint64_t kRunsUnseen = 5'000'000;  // it has run for so long: its own processor time, however busy the machine
// A creator waits for its thread to arrive, which takes as long as the machine is busy.
constexpr uint64_t kCreates = 20'000'000;

// What the kernel says of a thread: fields 3, 14 and 15 of proc(5)'s stat.
struct KernelState {
  bool known = false;
  bool sleeps = false;
  uint64_t run_for = 0;  // microseconds of a processor
};

// The holder when it was last seen to get on, or to change.
struct Seen {
  uint64_t progress = 0;
  uint64_t at = 0;
  uint64_t asleep_at = 0;  // since then it has not run
  KernelState state;       // at the last look
  uint64_t run_for = 0;    // at `at`
};
constinit Seen seen;

// The number before the next blank; `at` goes behind the blank.
uint64_t number_at(Text line, size_t& at) {
  uint64_t number = 0;
  for (; at < line.size && line.data[at] != ' '; ++at)
    number = 10 * number + static_cast<uint64_t>(line.data[at] - '0');
  ++at;
  return number;
}

KernelState kernel_state(uint32_t tid) {
  constexpr uint64_t kTick = 10'000;  // USER_HZ is 100
  char path[64];
  Buffer name(path, sizeof(path) - 1);
  name.sink().put("/proc/self/task/");
  name.sink().put(Decimal(tid).text());
  name.sink().put("/stat");
  path[name.text().size] = '\0';
  const int fd = sys::open_file(path, O_RDONLY);
  if (fd < 0) return {};
  char bytes[512];
  const long size = sys::read_some(fd, bytes, sizeof(bytes));
  sys::close_file(fd);
  if (size <= 0) return {};
  const Text line{bytes, static_cast<size_t>(size)};
  size_t at = line.size;  // behind the name, which may have anything in it
  while (at > 0 && line.data[at - 1] != ')') --at;
  if (at == 0 || at + 3 > line.size) return {};
  KernelState state{.known = true};
  state.sleeps = line.data[at + 1] == 'S' || line.data[at + 1] == 'D';
  at += 3;
  for (int field = 4; field < 14; ++field) {
    while (at < line.size && line.data[at] != ' ') ++at;
    ++at;
  }
  state.run_for = number_at(line, at) * kTick;
  state.run_for += number_at(line, at) * kTick;
  return state;
}

uint64_t progress() { return outcome->decisions + outcome->accesses; }

// The holder has got on: it is watched from now.
void watch_anew(uint64_t now, const KernelState& state) {
  seen = {.progress = progress(), .at = now, .asleep_at = now, .state = state, .run_for = state.run_for};
}

// The holder has stood, or run without being seen, for too long.
bool is_lost(uint64_t now) {
  if (progress() != seen.progress) {
    watch_anew(now, {});
    return false;
  }
  const KernelState state = kernel_state(holder->tid);
  if (state.known != seen.state.known) {
    watch_anew(now, state);
    return false;
  }
  if (!state.sleeps || !seen.state.sleeps || state.run_for != seen.state.run_for) seen.asleep_at = now;
  seen.state = state;
  if (any_with(Status::kReserved)) return now - seen.at >= kCreates;
  if (!state.known) return now - seen.at >= kRunsUnseen;
  return now - seen.asleep_at >= kBlockedUnseen || state.run_for - seen.run_for >= kRunsUnseen;
}

// Who gets the turn by that, if anybody; under the mutex.
Slot* look_at_holder() {
  if (holder == nullptr) {
    for (uint32_t i = 0; i < high; ++i) {
      if (slots[i].waiting == Waiting::kOutsider && slots[i].status.load() == Status::kWaiting) {
        make_ready(slots[i], Woken::kWoken);
      }
    }
    return hand_on(nullptr);
  }
  if (rt::start.settings.debug) return nullptr;  // a debugger stops threads for longer than any watchdog bears
  if (!is_lost(sys::now())) return nullptr;
  if (holder->status.load(std::memory_order_relaxed) != Status::kRunning) return nullptr;
  ++outcome->taken_away;
  forget_values(holder->number);
  holder->status.store(Status::kOutside, std::memory_order_relaxed);
  return hand_on(nullptr);
}

// Nobody runs, and a signal came for the process, or for this thread: it is delivered where the thread goes on.
void let_signals_in(Slot& self, SignalMask mask) {
  if (self.status.load(std::memory_order_relaxed) != Status::kWaiting || !can_be_interrupted(self.waiting)) return;
  const Arriving signals = arriving(mask);
  if (signals == Arriving::kNothing) return;
  const bool goes_on = signals == Arriving::kRestarts && self.waiting != Waiting::kTime;
  make_ready(self, goes_on ? Woken::kWoken : Woken::kInterrupted);
}

}  // namespace

void watch_from_now() { watch_anew(sys::now(), {}); }

void look_after(Slot& self, SignalMask mask) {
  if (!mutex.try_lock()) return;  // somebody does, perhaps until a file is ready
  if (holder == nullptr) let_signals_in(self, mask);
  Slot* next = look_at_holder();
  mutex.unlock();
  wake(next);
}

}  // namespace norn::rt::control
