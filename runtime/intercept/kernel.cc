// Calls that wait in the kernel: for descriptors, for other processes, for signals, for a word of memory. Under control
// they must not keep the turn.
//
// Where a call waits for descriptors, the thread waits for these, disabled, and calls when they are ready: what other
// threads of the program write is then part of the schedule. All other calls are made without the turn.
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/control/control.h"
#include "runtime/hooks/access_hooks.h"
#include "runtime/intercept/descriptors.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/rights.h"
#include "runtime/intercept/signals.h"
#include "runtime/intercept/text_length.h"
#include "runtime/process/mode.h"
#include "runtime/process/proc_maps.h"
#include "runtime/process/process.h"
#include "runtime/process/state.h"
#include "runtime/process/syscalls.h"

using namespace norn::rt;

namespace {

bool is_stopped_here() { return is_controlled() && control::active(); }

void observe_text(const char* text, const norn_site& site) {
  if (text != nullptr && is_watching()) observe_read(text, length_of(text) + 1, site);
}

// What the kernel reads of it before the call returns.
void observe_arguments(const char* program, char* const* arguments, const norn_site& site) {
  observe_text(program, site);
  if (!is_watching() || arguments == nullptr) return;
  size_t count = 0;
  for (; arguments[count] != nullptr; ++count) observe_text(arguments[count], site);
  observe_read(arguments, (count + 1) * sizeof(*arguments), site);
}

control::Time after_milliseconds(int timeout) {
  return timeout < 0 ? control::kForever : control::after({timeout / 1000, timeout % 1000 * 1'000'000L});
}

// Calls `attempt`, which does not wait, until it says more than nothing, fails, or it is too late.
template <class Attempt>
int poll_controlled(const pollfd* files, uint32_t count, control::Time until, const norn_site& site, Attempt attempt) {
  if (count == 0) {
    if (control::sleep(until, site) != control::Woken::kInterrupted) return 0;
    errno = EINTR;
    return -1;
  }
  for (;;) {
    const int result = attempt();
    if (result != 0) return result;
    if (until <= control::now()) {
      // Whoever looks without waiting will look again.
      control::yield(&site);
      return 0;
    }
    switch (control::wait_for_files(files, count, until)) {
      case control::Woken::kWoken:
        break;
      case control::Woken::kTimeout:
        return attempt();
      case control::Woken::kInterrupted:
        errno = EINTR;
        return -1;
    }
  }
}

constexpr uint32_t kMostFiles = 1024;

uint32_t files_of_sets(int count, const fd_set* in, const fd_set* out, const fd_set* except,
                       pollfd (&files)[kMostFiles]) {
  uint32_t used = 0;
  for (int fd = 0; fd < count && used < kMostFiles; ++fd) {
    short events = 0;
    if (in != nullptr && FD_ISSET(fd, in)) events = static_cast<short>(events | POLLIN);
    if (out != nullptr && FD_ISSET(fd, out)) events = static_cast<short>(events | POLLOUT);
    if (except != nullptr && FD_ISSET(fd, except)) events = static_cast<short>(events | POLLPRI);
    if (events != 0) files[used++] = {fd, events, 0};
  }
  return used;
}

}  // namespace

namespace {

int polled(const pollfd* files, nfds_t count, int result, const norn_site& site) {
  if (result < 0 || !is_watching()) return result;
  for (nfds_t i = 0; i < count; ++i) {
    observe_write(&files[i].revents, sizeof(files[i].revents), site);
    if ((files[i].revents & ~(POLLOUT | POLLWRNORM | POLLWRBAND | POLLNVAL)) != 0) became_readable(files[i].fd);
  }
  return result;
}

int poll_files(pollfd* files, nfds_t count, int timeout, const norn_site& site, int (*real)(pollfd*, nfds_t, int)) {
  observe_read(files, count * sizeof(*files), site);
  const int result = !is_stopped_here()
                         ? real(files, count, timeout)
                         : poll_controlled(files, static_cast<uint32_t>(count), after_milliseconds(timeout), site,
                                           [=] { return real(files, count, 0); });
  return polled(files, count, result, site);
}

size_t bytes_of_set(int count) {
  constexpr size_t kWord = sizeof(long);
  const size_t bits = count < 0 ? 0 : static_cast<size_t>(count);
  return (bits + 8 * kWord - 1) / (8 * kWord) * kWord;
}

struct Sets {
  int count;
  fd_set* in;
  fd_set* out;
  fd_set* except;

  void selecting(const norn_site& site) const {
    for (const fd_set* set : {in, out, except}) {
      if (set != nullptr) observe_read(set, bytes_of_set(count), site);
    }
  }

  [[nodiscard]] int selected(int result, const norn_site& site) const {
    if (result < 0 || !is_watching()) return result;
    for (const fd_set* set : {in, out, except}) {
      if (set != nullptr) observe_write(set, bytes_of_set(count), site);
    }
    for (int fd = 0; fd < count && fd < FD_SETSIZE && result > 0; ++fd) {
      const bool readable = (in != nullptr && FD_ISSET(fd, in)) || (except != nullptr && FD_ISSET(fd, except));
      if (readable) became_readable(fd);
    }
    return result;
  }
};

// Calls attempt(), which does not wait, with the sets as the program gave them.
template <class Attempt>
int select_controlled(const Sets& sets, control::Time until, const norn_site& site, Attempt attempt) {
  pollfd files[kMostFiles];
  const uint32_t used = files_of_sets(sets.count, sets.in, sets.out, sets.except, files);
  const fd_set asked[3] = {sets.in == nullptr ? fd_set{} : *sets.in, sets.out == nullptr ? fd_set{} : *sets.out,
                           sets.except == nullptr ? fd_set{} : *sets.except};
  return poll_controlled(files, used, until, site, [&] {
    if (sets.in != nullptr) *sets.in = asked[0];
    if (sets.out != nullptr) *sets.out = asked[1];
    if (sets.except != nullptr) *sets.except = asked[2];
    return attempt();
  });
}

}  // namespace

NORN_INTERPOSE(int, poll, (pollfd * files, nfds_t count, int timeout)) {
  if (!has_started())
    return static_cast<int>(sys::call(__NR_poll, sys::as_long(files), static_cast<long>(count), timeout));
  return poll_files(files, count, timeout, site_poll, real_poll);
}

NORN_INTERPOSE(int, ppoll, (pollfd * files, nfds_t count, const timespec* timeout, const sigset_t* mask)) {
  if (!has_started()) return -1;
  observe_read(files, count * sizeof(*files), site_ppoll);
  if (!is_stopped_here()) return polled(files, count, real_ppoll(files, count, timeout, mask), site_ppoll);
  const control::Time until = timeout == nullptr ? control::kForever : control::after(*timeout);
  const int result = poll_controlled(files, static_cast<uint32_t>(count), until, site_ppoll, [=] {
    const timespec none = {0, 0};
    return real_ppoll(files, count, &none, mask);
  });
  return polled(files, count, result, site_ppoll);
}

// What these are under _FORTIFY_SOURCE; the check is the host's.
NORN_INTERPOSE(int, __poll_chk, (pollfd * files, nfds_t count, int timeout, size_t room)) {
  if (!has_started()) return -1;
  if (room / sizeof(*files) < count) return real___poll_chk(files, count, timeout, room);
  return norn_interposed_poll(files, count, timeout);
}

NORN_INTERPOSE(int, __ppoll_chk,
               (pollfd * files, nfds_t count, const timespec* timeout, const sigset_t* mask, size_t room)) {
  if (!has_started()) return -1;
  if (room / sizeof(*files) < count) return real___ppoll_chk(files, count, timeout, mask, room);
  return norn_interposed_ppoll(files, count, timeout, mask);
}

NORN_INTERPOSE(int, select, (int count, fd_set* in, fd_set* out, fd_set* except, timeval* timeout)) {
  if (!has_started()) return -1;
  const Sets sets = {count, in, out, except};
  sets.selecting(site_select);
  if (!is_stopped_here()) return sets.selected(real_select(count, in, out, except, timeout), site_select);
  const control::Time until = timeout == nullptr
                                  ? control::kForever
                                  : control::after({timeout->tv_sec, static_cast<long>(timeout->tv_usec) * 1000});
  const int result = select_controlled(sets, until, site_select, [&] {
    timeval none = {0, 0};
    return real_select(count, in, out, except, &none);
  });
  return sets.selected(result, site_select);
}

NORN_INTERPOSE(int, pselect,
               (int count, fd_set* in, fd_set* out, fd_set* except, const timespec* timeout, const sigset_t* mask)) {
  if (!has_started()) return -1;
  const Sets sets = {count, in, out, except};
  sets.selecting(site_pselect);
  if (!is_stopped_here()) return sets.selected(real_pselect(count, in, out, except, timeout, mask), site_pselect);
  const control::Time until = timeout == nullptr ? control::kForever : control::after(*timeout);
  const int result = select_controlled(sets, until, site_pselect, [&] {
    const timespec none = {0, 0};
    return real_pselect(count, in, out, except, &none, mask);
  });
  return sets.selected(result, site_pselect);
}

// --- other processes, and signals ------------------------------------------------------------------------------------

NORN_INTERPOSE(pid_t, wait, (int* status)) {
  if (!has_started()) return -1;
  const control::Outside outside;
  return real_wait(status);
}

NORN_INTERPOSE(pid_t, waitpid, (pid_t pid, int* status, int options)) {
  if (!has_started()) return -1;
  if ((options & WNOHANG) != 0) return real_waitpid(pid, status, options);
  const control::Outside outside;
  return real_waitpid(pid, status, options);
}

NORN_INTERPOSE(int, waitid, (idtype_t type, id_t id, siginfo_t* info, int options)) {
  if (!has_started()) return -1;
  if ((options & WNOHANG) != 0) return real_waitid(type, id, info, options);
  const control::Outside outside;
  return real_waitid(type, id, info, options);
}

NORN_INTERPOSE(pid_t, wait4, (pid_t pid, int* status, int options, rusage* usage)) {
  if (!has_started()) return -1;
  if ((options & WNOHANG) != 0) return real_wait4(pid, status, options, usage);
  const control::Outside outside;
  return real_wait4(pid, status, options, usage);
}

NORN_INTERPOSE(int, system, (const char* command)) {
  if (!has_started()) return -1;
  observe_text(command, site_system);
  const control::Outside outside;
  return real_system(command);
}

NORN_INTERPOSE_VERSION(int, posix_spawn, "GLIBC_2.15",
                       (pid_t * child, const char* path, const posix_spawn_file_actions_t* actions,
                        const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment)) {
  if (!has_started()) return ENOSYS;
  observe_arguments(path, arguments, site_posix_spawn);
  return real_posix_spawn(child, path, actions, attributes, arguments, environment);
}

NORN_INTERPOSE_VERSION(int, posix_spawnp, "GLIBC_2.15",
                       (pid_t * child, const char* file, const posix_spawn_file_actions_t* actions,
                        const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment)) {
  if (!has_started()) return ENOSYS;
  observe_arguments(file, arguments, site_posix_spawnp);
  return real_posix_spawnp(child, file, actions, attributes, arguments, environment);
}

NORN_INTERPOSE(int, pause, ()) {
  if (!has_started()) return -1;
  const control::Outside outside;
  return real_pause();
}

NORN_INTERPOSE(int, sigsuspend, (const sigset_t* mask)) {
  if (!has_started()) return -1;
  const control::Outside outside;
  return real_sigsuspend(mask);
}

NORN_INTERPOSE(int, sigwait, (const sigset_t* set, int* number)) {
  if (!has_started()) return EINVAL;
  observe_read(set, sizeof(*set), site_sigwait);
  const int result = [&] {
    const control::Outside outside;
    return real_sigwait(set, number);
  }();
  if (result == 0) {
    observe_write(number, sizeof(*number), site_sigwait);
    got_signal(*number);
  }
  return result;
}

namespace {

int waited_for_signal(int number, siginfo_t* info, const norn_site& site) {
  if (number <= 0) return number;
  if (info != nullptr) observe_write(info, sizeof(*info), site);
  got_signal(number);
  return number;
}

}  // namespace

NORN_INTERPOSE(int, sigwaitinfo, (const sigset_t* set, siginfo_t* info)) {
  if (!has_started()) return -1;
  observe_read(set, sizeof(*set), site_sigwaitinfo);
  const int number = [&] {
    const control::Outside outside;
    return real_sigwaitinfo(set, info);
  }();
  return waited_for_signal(number, info, site_sigwaitinfo);
}

NORN_INTERPOSE(int, sigtimedwait, (const sigset_t* set, siginfo_t* info, const timespec* timeout)) {
  if (!has_started()) return -1;
  observe_read(set, sizeof(*set), site_sigtimedwait);
  const int number = [&] {
    const control::Outside outside;
    return real_sigtimedwait(set, info, timeout);
  }();
  return waited_for_signal(number, info, site_sigtimedwait);
}

// --- futexes ---------------------------------------------------------------------------------------------------------
//
// std::atomic's wait and others that wait by themselves come here: the C++ library calls `syscall`.

namespace {

// Whether the word lies in memory that another process may have, too. Asked only of futexes that do not say that they
// are private, as those of some libraries that could.
bool is_shared_memory(const volatile uint32_t* word) {
  const norn::Address wanted = address_of(word);
  bool shared = true;
  visit_mappings([&](const Mapping& mapping) {
    if (mapping.end <= wanted) return true;
    shared = mapping.begin > wanted || mapping.shared;
    return false;
  });
  return shared;
}

long wait_on_futex(const volatile uint32_t* word, uint32_t value, control::Time until, bool is_private) {
  control::point(control::Op::kAcquire, word, nullptr);
  if (*word != value) {
    errno = EAGAIN;
    return -1;
  }
  const control::Waiting waiting = is_private ? control::Waiting::kFutex : control::Waiting::kOutsider;
  switch (control::wait(waiting, word, until)) {
    case control::Woken::kWoken:
      return 0;
    case control::Woken::kTimeout:
      errno = ETIMEDOUT;
      return -1;
    case control::Woken::kInterrupted:
      break;
  }
  errno = EINTR;
  return -1;
}

long wake_futex(const volatile uint32_t* word, uint32_t most) {
  control::point(control::Op::kRelease, word, nullptr);
  uint32_t count = control::waiters(word);
  if (count > most) count = most;
  for (uint32_t i = 0; i < count; ++i) control::wake_one(word);
  return count;
}

// True: it was one that is modelled, with what it returns.
bool futex_controlled(long a, long b, long c, long d, long& result) {
  const auto* word = reinterpret_cast<const volatile uint32_t*>(a);
  const auto value = static_cast<uint32_t>(c);
  const auto* time = reinterpret_cast<const timespec*>(d);
  const bool is_private = (b & FUTEX_PRIVATE_FLAG) != 0 || !is_shared_memory(word);
  switch (b & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
      result = wait_on_futex(word, value, time == nullptr ? control::kForever : control::after(*time), is_private);
      return true;
    case FUTEX_WAIT_BITSET: {
      const clockid_t clock = (b & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
      result = wait_on_futex(word, value, control::deadline(clock, time), is_private);
      return true;
    }
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
      result = wake_futex(word, value);
      return is_private;  // who waits in another process is woken by the kernel
    default:
      return false;
  }
}

}  // namespace

namespace {

// A child with a copy of the memory, on a copy of the same stack.
bool is_fork(long number, long flags, long stack) {
  return number == __NR_fork || (number == __NR_clone && (flags & CLONE_VM) == 0 && stack == 0);
}

}  // namespace

NORN_INTERPOSE(long, syscall, (long number, long a, long b, long c, long d, long e, long f)) {
  if (!has_started()) return sys::call(number, a, b, c, d, e, f);
  if (is_controlled() && number == __NR_futex && control::active()) {
    long result = 0;
    if (futex_controlled(a, b, c, d, result)) return result;
  }
  if (is_controlled() && number == __NR_getrandom && control::active()) {
    control::fill_random(reinterpret_cast<void*>(a), static_cast<size_t>(b));
    return b;
  }
  if (is_fork(number, a, b)) {
    const long child = fork_by_call(number, a, b, c, d, e);
    if (!sys::failed(child)) return child;
    errno = static_cast<int>(-child);
    return -1;
  }
  if (number == __NR_tgkill || number == __NR_tkill || number == __NR_kill) {
    sending_signal(static_cast<int>(number == __NR_tgkill ? c : b), norn::kNoThread);
  }
  RightsGivenUp rights(number, a);
  const long result = real_syscall(number, a, b, c, d, e, f);
  rights.done(result);
  return result;
}
