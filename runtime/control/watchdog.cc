// A thread that has waited long looks whether things go on without it: the watchdog (RaceFuzzer's monitor, §4). Real
// time, for what is not under control.
#include <fcntl.h>

#include "runtime/control/decisions.h"
#include "runtime/control/turn.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"

namespace norn::rt::control {
namespace {

constexpr uint64_t kBlockedUnseen = 1'000'000;  // microseconds: the holder sleeps in the kernel and does nothing else
constexpr uint64_t kRunsUnseen = 5'000'000;     // it runs, but passes neither points nor accesses
// A creator waits for its thread to arrive, which takes as long as the machine is busy.
constexpr uint64_t kCreates = 20'000'000;
constinit uint64_t seen_progress = 0;
constinit uint64_t seen_at = 0;

bool sleeps_in_kernel(uint32_t tid) {
  char path[64];
  Buffer name(path, sizeof(path) - 1);
  name.sink().put("/proc/self/task/");
  name.sink().put(Decimal(tid).text());
  name.sink().put("/stat");
  path[name.text().size] = '\0';
  const int fd = sys::open_file(path, O_RDONLY);
  if (fd < 0) return false;
  char line[256];
  const long size = sys::read_some(fd, line, sizeof(line));
  sys::close_file(fd);
  long at = size;  // behind the name, which may have anything in it
  while (at > 0 && line[at - 1] != ')') --at;
  return at + 1 < size && (line[at + 1] == 'S' || line[at + 1] == 'D');
}

uint64_t progress() { return outcome->decisions + outcome->accesses; }

uint64_t patience_with_holder() {
  if (any_with(Status::kReserved)) return kCreates;
  return sleeps_in_kernel(holder->tid) ? kBlockedUnseen : kRunsUnseen;
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
  const uint64_t now = sys::now();
  if (progress() != seen_progress) {
    seen_progress = progress();
    seen_at = now;
    return nullptr;
  }
  if (now - seen_at < patience_with_holder()) return nullptr;
  if (holder->status.load(std::memory_order_relaxed) != Status::kRunning) return nullptr;
  ++outcome->taken_away;
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

void watch_from_now() { seen_at = sys::now(); }

void look_after(Slot& self, SignalMask mask) {
  if (!mutex.try_lock()) return;  // somebody does, perhaps until a file is ready
  if (holder == nullptr) let_signals_in(self, mask);
  Slot* next = look_at_holder();
  mutex.unlock();
  wake(next);
}

}  // namespace norn::rt::control
