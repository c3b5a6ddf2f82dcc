// Calls that block in the kernel: made when the descriptors they wait for are ready, or without the turn.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include "norn/site.h"
#include "runtime/control/standstill.h"
#include "runtime/control/turn.h"
#include "runtime/control/values.h"
#include "runtime/process/mode.h"
#include "runtime/process/syscalls.h"

namespace norn::rt::control {

bool look_at_files(long milliseconds) {
  constexpr uint32_t kMost = 256;
  static constinit pollfd files[kMost] = {};
  static constinit Slot* whose[kMost] = {};
  uint32_t count = 0;
  for (uint32_t i = 0; i < high; ++i) {
    Slot& slot = slots[i];
    if (slot.status.load(std::memory_order_relaxed) != Status::kWaiting || slot.waiting != Waiting::kFile) continue;
    for (uint32_t k = 0; k < slot.file_count && count < kMost; ++k) {
      files[count] = {slot.files[k].fd, slot.files[k].events, 0};
      whose[count++] = &slot;
    }
  }
  if (count == 0) return false;
  if (sys::call(__NR_poll, sys::as_long(files), count, milliseconds) <= 0) return false;
  for (uint32_t i = 0; i < count; ++i) {
    if (files[i].revents != 0) make_ready(*whose[i], Woken::kWoken);
  }
  return true;
}

Woken wait_for_files(const pollfd* files, uint32_t count, Time until) {
  standstill.changed();
  current_slot->files = files;
  current_slot->file_count = count;
  return wait(count == 0 ? Waiting::kTime : Waiting::kFile, nullptr, until);
}

bool await_file(int fd, short events, const norn_site& site) {
  if (!active()) return true;
  standstill.changed();
  const long flags = sys::call(__NR_fcntl, fd, F_GETFL, 0);
  if (sys::failed(flags) || (flags & O_NONBLOCK) != 0) return true;
  pollfd file = {fd, events, 0};
  if (sys::call(__NR_poll, sys::as_long(&file), 1, 0) != 0) return true;
  point(Op::kAcquire, nullptr, &site);
  while (sys::call(__NR_poll, sys::as_long(&file), 1, 0) == 0) {
    if (wait_for_files(&file, 1, kForever) != Woken::kInterrupted) continue;
    errno = EINTR;
    return false;
  }
  return true;
}

bool may_wait_to_write(int fd, size_t size) {
  if (!active()) return false;
  standstill.changed();
  struct stat status = {};
  if (sys::call(__NR_fstat, fd, sys::as_long(&status)) != 0 || S_ISREG(status.st_mode) || S_ISCHR(status.st_mode)) {
    return false;
  }
  const long flags = sys::call(__NR_fcntl, fd, F_GETFL, 0);
  if ((flags & O_NONBLOCK) != 0) return false;
  constexpr size_t kAtOnce = 4096;  // PIPE_BUF
  pollfd file = {fd, POLLOUT, 0};
  return size > kAtOnce || sys::call(__NR_poll, sys::as_long(&file), 1, 0) == 0;
}

constinit std::atomic<uint32_t> work_to_take{0};

namespace {

// Under the mutex. When all have come they may go, but for those who are parked, whoever notices it first.
void gather(Slot& self, const Gathering& gathering) {
  self.gathering = gathering;
  self.waiting = gathering.number != 0 ? Waiting::kBarrier : Waiting::kNothing;
  self.object = 0;
  if (gathering.number == 0) return;
  const auto is_there = [&](const Slot& slot) {
    return &slot == &self || (slot.status.load(std::memory_order_relaxed) == Status::kOutside &&
                              slot.gathering.number == gathering.number);
  };
  uint32_t gathered = 0;
  for (uint32_t i = 0; i < high; ++i) gathered += is_there(slots[i]) ? 1 : 0;
  if (gathered < gathering.members) return;
  for (uint32_t i = 0; i < high; ++i) {
    if (is_there(slots[i]) && !slots[i].gathering.parks) slots[i].gathering = {};
  }
}

}  // namespace

void leave_gathering() {
  const Inspection here;
  const SpinLock lock(mutex);
  if (current_slot != nullptr && !current_slot->gathering.parks) current_slot->gathering = {};
}

void unpark_all() {
  const Inspection here;
  const SpinLock lock(mutex);
  for (uint32_t i = 0; i < high; ++i) {
    if (slots[i].gathering.parks) slots[i].gathering = {};
  }
}

bool go_outside(const Gathering& gathering) {
  if (current_slot != nullptr && current_slot->status.load(std::memory_order_relaxed) == Status::kOutside) {
    if (gathering.number == 0) return false;
    const Inspection here;
    const SpinLock lock(mutex);
    gather(*current_slot, gathering);
    return false;
  }
  if (!active()) return false;
  Slot& self = *current_slot;
  const Inspection here;
  Slot* next = nullptr;
  {
    const SpinLock lock(mutex);
    self.top = __norn_stack;
    gather(self, gathering);
    self.status.store(Status::kOutside, std::memory_order_relaxed);
    next = hand_on(nullptr);
  }
  wake(next);
  return true;
}

Outside::Outside() : gave_(go_outside()) {}

Outside::~Outside() {
  if (!gave_ || current_slot == nullptr) return;
  if (current_slot->status.load(std::memory_order_relaxed) != Status::kRunning) come_back(*current_slot);
}

Handler::Handler() {
  if (!is_controlled() || current_slot == nullptr) return;
  was_outside_ = current_slot->status.load(std::memory_order_relaxed) == Status::kOutside;
  const Inspection here;
  const SpinLock lock(mutex);
  forget_values(current_slot->number);
}

Handler::~Handler() {
  if (!was_outside_ || current_slot == nullptr) return;
  const Inspection here;
  Slot* next = nullptr;
  {
    const SpinLock lock(mutex);
    if (current_slot->status.load(std::memory_order_relaxed) != Status::kRunning) return;
    current_slot->status.store(Status::kOutside, std::memory_order_relaxed);
    next = hand_on(nullptr);
  }
  wake(next);
}

}  // namespace norn::rt::control
