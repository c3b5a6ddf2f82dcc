// Timers of POSIX: what was done before a timer was set comes before the signal it sends, and before the function it
// calls in a thread of the C library's own.
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "runtime/hooks/access_hooks.h"
#include "runtime/intercept/callbacks.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/signals.h"
#include "runtime/process/emit.h"

using namespace norn;
using namespace norn::rt;

namespace {

struct Timer {
  timer_t id = nullptr;
  int signal = 0;                // 0: none
  Callback* callback = nullptr;  // null: none
  Timer* next = nullptr;
};
constinit SpinMutex mutex;
constinit Timer* timers = nullptr;

// The pointer to it; to null if it is not known. Under the mutex.
Timer** find(timer_t id) {
  Timer** link = &timers;
  while (*link != nullptr && (*link)->id != id) link = &(*link)->next;
  return link;
}

}  // namespace

NORN_INTERPOSE_VERSION(int, timer_create, "GLIBC_2.34", (clockid_t clock, sigevent* event, timer_t* timer)) {
  if (!has_started()) return -1;
  Callback* callback = nullptr;
  sigevent own = {};
  if (event != nullptr) {
    observe_read(event, sizeof(*event), site_timer_create);
    own = *event;
    callback = wrap_callback(own);
  }
  const int result = real_timer_create(clock, event == nullptr ? nullptr : &own, timer);
  if (result != 0) return result;
  observe_write(timer, sizeof(*timer), site_timer_create);
  if (const Inspection here; here) {
    const SpinLock lock(mutex);
    if (auto* made = memory.create<Timer>(); made != nullptr) {
      made->id = *timer;
      made->callback = callback;
      made->signal = event == nullptr ? SIGALRM : event->sigev_notify == SIGEV_SIGNAL ? event->sigev_signo : 0;
      made->next = timers;
      timers = made;
    }
  }
  return 0;
}

NORN_INTERPOSE_VERSION(int, timer_settime, "GLIBC_2.34",
                       (timer_t timer, int flags, const itimerspec* time, itimerspec* old)) {
  if (!has_started()) return -1;
  if (time != nullptr) observe_read(time, sizeof(*time), site_timer_settime);
  int number = 0;
  if (const Inspection here; here) {
    const SpinLock lock(mutex);
    if (const Timer* known = *find(timer); known != nullptr) {
      number = known->signal;
      if (known->callback != nullptr) emit.clock_release(here.thread(), known->callback->asked);
    }
  }
  if (number != 0) sending_signal(number, kNoThread);
  const int result = real_timer_settime(timer, flags, time, old);
  if (result == 0 && old != nullptr) observe_write(old, sizeof(*old), site_timer_settime);
  return result;
}

NORN_INTERPOSE_VERSION(int, timer_delete, "GLIBC_2.34", (timer_t timer)) {
  if (!has_started()) return -1;
  if (const Inspection here; here) {
    const SpinLock lock(mutex);
    Timer** link = find(timer);
    if (Timer* known = *link; known != nullptr) {
      *link = known->next;
      memory.destroy(known);
    }
  }
  return real_timer_delete(timer);
}
