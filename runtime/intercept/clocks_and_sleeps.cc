// Clocks and sleeps. Under control time is virtual: it stands still while anyone can run, and goes on to the next
// sleeper's end when nobody can. So sleeps take no time, and the same schedule sees the same clocks.
#include <errno.h>
#include <sched.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "runtime/control/control.h"
#include "runtime/intercept/interpose.h"
#include "runtime/openmp/openmp.h"
#include "runtime/process/mode.h"
#include "runtime/process/syscalls.h"

using namespace norn::rt;

namespace {

bool is_virtual() { return is_controlled() && control::active(); }

NORN_REAL(void, pthread_testcancel, ())

// False: a signal came first.
bool sleep_until(control::Time until, const norn_site& site) {
  if (control::sleep(until, site) != control::Woken::kInterrupted) return true;
  real_pthread_testcancel();
  return false;
}

control::Time rest_of(control::Time until) {
  const control::Time now = control::now();
  return until > now ? until - now : 0;
}

int interrupted(control::Time until, timespec* rest) {
  const control::Time left = rest_of(until);
  if (rest != nullptr) *rest = {static_cast<time_t>(left / 1'000'000'000), static_cast<long>(left % 1'000'000'000)};
  return EINTR;
}

}  // namespace

NORN_INTERPOSE(int, clock_gettime, (clockid_t clock, timespec* time)) {
  if (!has_started()) return static_cast<int>(sys::call(__NR_clock_gettime, clock, sys::as_long(time)));
  if (!is_virtual()) return real_clock_gettime(clock, time);
  *time = control::read_clock(clock);
  return 0;
}

NORN_INTERPOSE(int, timespec_get, (timespec * time, int base)) {
  if (!has_started()) return 0;
  if (!is_virtual() || base != TIME_UTC) return real_timespec_get(time, base);
  *time = control::read_clock(CLOCK_REALTIME);
  return base;
}

NORN_INTERPOSE(int, gettimeofday, (timeval * time, void* zone)) {
  if (!has_started()) return static_cast<int>(sys::call(__NR_gettimeofday, sys::as_long(time), sys::as_long(zone)));
  if (!is_virtual() || time == nullptr) return real_gettimeofday(time, zone);
  const timespec now = control::read_clock(CLOCK_REALTIME);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

NORN_INTERPOSE(time_t, time, (time_t* result)) {
  if (!has_started()) return sys::call(__NR_time, sys::as_long(result));
  if (!is_virtual()) return real_time(result);
  const timespec now = control::read_clock(CLOCK_REALTIME);
  if (result != nullptr) *result = now.tv_sec;
  return now.tv_sec;
}

NORN_INTERPOSE(clock_t, clock, ()) {
  if (!has_started()) return 0;
  if (!is_virtual()) return real_clock();
  const timespec now = control::read_clock(CLOCK_PROCESS_CPUTIME_ID);
  return now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / 1000;
}

NORN_INTERPOSE(int, nanosleep, (const timespec* duration, timespec* rest)) {
  if (!has_started()) return -1;
  if (!is_virtual()) return real_nanosleep(duration, rest);
  if (duration->tv_nsec < 0 || duration->tv_nsec > 999'999'999 || duration->tv_sec < 0) {
    errno = EINVAL;
    return -1;
  }
  const control::Time until = control::after(*duration);
  if (sleep_until(until, site_nanosleep)) return 0;
  errno = interrupted(until, rest);
  return -1;
}

NORN_INTERPOSE(int, clock_nanosleep, (clockid_t clock, int flags, const timespec* time, timespec* rest)) {
  if (!has_started()) return EINVAL;
  if (!is_virtual()) return real_clock_nanosleep(clock, flags, time, rest);
  if (time->tv_nsec < 0 || time->tv_nsec > 999'999'999) return EINVAL;
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  const control::Time until = absolute ? control::deadline(clock, time) : control::after(*time);
  return sleep_until(until, site_clock_nanosleep) ? 0 : interrupted(until, absolute ? nullptr : rest);
}

NORN_INTERPOSE(int, usleep, (useconds_t duration)) {
  if (!has_started()) return -1;
  if (!is_virtual()) return real_usleep(duration);
  const control::Time until = control::after({duration / 1'000'000, static_cast<long>(duration % 1'000'000) * 1000});
  if (sleep_until(until, site_usleep)) return 0;
  errno = EINTR;
  return -1;
}

NORN_INTERPOSE(unsigned, sleep, (unsigned seconds)) {
  if (!has_started()) return seconds;
  if (!is_virtual()) return real_sleep(seconds);
  const control::Time until = control::after({static_cast<time_t>(seconds), 0});
  return sleep_until(until, site_sleep) ? 0 : static_cast<unsigned>((rest_of(until) + 999'999'999) / 1'000'000'000);
}

NORN_INTERPOSE(int, thrd_sleep, (const timespec* duration, timespec* rest)) {
  if (!has_started()) return -2;
  if (!is_virtual()) return real_thrd_sleep(duration, rest);
  const control::Time until = control::after(*duration);
  if (sleep_until(until, site_thrd_sleep)) return 0;
  interrupted(until, rest);
  return -1;
}

NORN_INTERPOSE(int, sched_yield, ()) {
  if (!has_started()) return 0;
  if (called_by_openmp()) {
    if (is_controlled()) control::go_outside();
    return real_sched_yield();
  }
  if (!is_virtual()) return real_sched_yield();
  control::yield(&site_sched_yield);
  return 0;
}

NORN_INTERPOSE(void, thrd_yield, ()) {
  if (!has_started()) return;
  if (!is_virtual()) return real_thrd_yield();
  control::yield(&site_thrd_yield);
}
