// A thread that has waited long looks whether things go on without it: the watchdog (RaceFuzzer's monitor, §4). Real
// time, for what is not under control.
#include <fcntl.h>

#include "base/sink.h"
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
// It was asleep whenever somebody looked, though it ran in between, or waits for the disk, which comes by itself.
constexpr uint64_t kSleepsUnseen = 20'000'000;
// A creator waits for its thread to arrive, which takes as long as the machine is busy.
constexpr uint64_t kCreates = 20'000'000;

// What the kernel says of a thread: fields 3, 14 and 15 of proc(5)'s stat, and the third of schedstat.
struct KernelState {
  bool known = false;
  bool sleeps = false;
  bool waits_for_disk = false;  // or for a child of vfork(): it is not to be interrupted
  uint64_t run_for = 0;         // microseconds of a processor, in steps of 10,000
  uint64_t slices = 0;          // so often it got a processor; 0: the kernel does not count
};

// The holder when it was last seen to get on, or to change.
struct Seen {
  uint64_t progress = 0;
  uint64_t at = 0;
  uint64_t looked_at = 0;   // the last look
  uint64_t asleep_for = 0;  // between looks at which it slept
  uint64_t still_at = 0;    // since then it has slept, and not run
  KernelState state;        // at the last look
  uint64_t run_for = 0;     // at `at`
};
constinit Seen seen;

// The number at `at`, which goes behind the blank after it.
uint64_t number_at(Text line, size_t& at) {
  uint64_t number = 0;
  for (; at < line.size && line.data[at] >= '0' && line.data[at] <= '9'; ++at)
    number = 10 * number + static_cast<uint64_t>(line.data[at] - '0');
  ++at;
  return number;
}

// What the kernel says of a thread in that file; empty: nothing.
Text kernel_file(uint32_t tid, Text file, char (&bytes)[512]) {
  char path[64];
  Buffer name(path, sizeof(path) - 1);
  name.sink().put("/proc/self/task/");
  name.sink().put(Decimal(tid).text());
  name.sink().put(file);
  path[name.text().size] = '\0';
  const int fd = sys::open_file(path, O_RDONLY);
  if (fd < 0) return {};
  const long size = sys::read_some(fd, bytes, sizeof(bytes));
  sys::close_file(fd);
  return size <= 0 ? Text() : Text(bytes, static_cast<size_t>(size));
}

// Behind so many fields that end with a blank.
size_t field_at(Text line, size_t at, int fields) {
  for (; fields > 0; --fields) {
    while (at < line.size && line.data[at] != ' ') ++at;
    ++at;
  }
  return at;
}

KernelState kernel_state(uint32_t tid) {
  constexpr uint64_t kTick = 10'000;  // USER_HZ is 100
  char bytes[512];
  const Text line = kernel_file(tid, "/stat", bytes);
  size_t at = line.size;  // behind the name, which may have anything in it
  while (at > 0 && line.data[at - 1] != ')') --at;
  if (at == 0 || at + 3 > line.size) return {};
  KernelState state{.known = true};
  state.waits_for_disk = line.data[at + 1] == 'D';
  state.sleeps = line.data[at + 1] == 'S' || state.waits_for_disk;
  at = field_at(line, at + 3, 10);
  state.run_for = number_at(line, at) * kTick;
  state.run_for += number_at(line, at) * kTick;
  const Text counts = kernel_file(tid, "/schedstat", bytes);
  at = field_at(counts, 0, 2);
  state.slices = number_at(counts, at);
  return state;
}

uint64_t progress() { return outcome->decisions + outcome->accesses; }

// The holder has got on: it is watched from now.
void watch_anew(uint64_t now, const KernelState& state) {
  seen = {
      .progress = progress(), .at = now, .looked_at = now, .still_at = now, .state = state, .run_for = state.run_for};
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
  const bool sleeps = state.sleeps && seen.state.sleeps;
  const bool ran = state.run_for != seen.state.run_for || state.slices != seen.state.slices;
  if (sleeps) seen.asleep_for += now - seen.looked_at;
  if (!sleeps || ran || state.waits_for_disk) seen.still_at = now;
  seen.looked_at = now;
  seen.state = state;
  if (any_with(Status::kReserved)) return now - seen.at >= kCreates;
  if (!state.known) return now - seen.at >= kRunsUnseen;
  return now - seen.still_at >= kBlockedUnseen || seen.asleep_for >= kSleepsUnseen ||
         state.run_for - seen.run_for >= kRunsUnseen;
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
