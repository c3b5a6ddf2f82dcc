// Threads, from their creation to who joins them.
#include "runtime/probe/follow_threads.h"

#include <pthread.h>
#include <signal.h>
#include <threads.h>

#include "runtime/intercept/interpose.h"
#include "runtime/probe/following.h"

using namespace norn::probe;

namespace {

constinit pthread_key_t end_key = 0;
constinit bool has_key = false;

// The destructor of a thread-specific key. Others may run after it and synchronize, so it waits for the last round.
void at_thread_end(void* argument) {
  auto* thread = static_cast<KnownThread*>(argument);
  if (++thread->end_rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(end_key, thread);
    return;
  }
  validation.end_thread(*thread);
}

KnownThread& begin(void* announced) {
  auto* thread = static_cast<KnownThread*>(announced);
  validation.begin_thread(*thread);
  if (has_key) pthread_setspecific(end_key, thread);
  return *thread;
}

void* run_thread(void* announced) {
  const KnownThread& thread = begin(announced);
  return thread.routine(thread.argument);
}

int run_c11_thread(void* announced) {
  const KnownThread& thread = begin(announced);
  return thread.c11_routine(thread.argument);
}

bool is_detached(const pthread_attr_t* attributes) {
  int state = PTHREAD_CREATE_JOINABLE;
  return attributes != nullptr && pthread_attr_getdetachstate(attributes, &state) == 0 &&
         state == PTHREAD_CREATE_DETACHED;
}

// Whose end is waited for as long as it takes.
class Joining final {
 public:
  template <class Thread>
  explicit Joining(Thread thread) {
    validation.begin_join(static_cast<uintptr_t>(thread));
  }
  ~Joining() {
    if (KnownThread* own = current_thread; own != nullptr) own->joins.exchange(0, std::memory_order_seq_cst);
  }
  Joining(const Joining&) = delete;
  Joining& operator=(const Joining&) = delete;
};

template <class Thread, class Real>
int join(Thread thread, Real real) {
  const int result = real();
  if (result == 0) {
    if (is_alert()) validation.attend();
    validation.joined(static_cast<uintptr_t>(thread));
  }
  return result;
}

}  // namespace

bool norn::probe::prepare_threads() {
  has_key = pthread_key_create(&end_key, &at_thread_end) == 0;
  return has_key;
}

NORN_INTERPOSE(int, pthread_create,
               (pthread_t * thread, const pthread_attr_t* attributes, void* (*routine)(void*), void* argument)) {
  if (is_alert()) validation.attend();
  KnownThread* announced = validation.announce(is_detached(attributes));
  if (announced == nullptr) return real_pthread_create(thread, attributes, routine, argument);
  announced->routine = routine;
  announced->argument = argument;
  const int result = real_pthread_create(thread, attributes, &run_thread, announced);
  if (result != 0) validation.take_back(*announced);
  return result;
}

NORN_INTERPOSE(int, pthread_join, (pthread_t thread, void** value)) {
  if (is_alert()) validation.attend();
  const Joining joining(thread);
  return join(thread, [=] { return real_pthread_join(thread, value); });
}
NORN_INTERPOSE(int, pthread_tryjoin_np, (pthread_t thread, void** value)) {
  return join(thread, [=] { return real_pthread_tryjoin_np(thread, value); });
}
NORN_INTERPOSE(int, pthread_timedjoin_np, (pthread_t thread, void** value, const timespec* until)) {
  return join(thread, [=] { return real_pthread_timedjoin_np(thread, value, until); });
}
NORN_INTERPOSE(int, pthread_clockjoin_np, (pthread_t thread, void** value, clockid_t clock, const timespec* until)) {
  return join(thread, [=] { return real_pthread_clockjoin_np(thread, value, clock, until); });
}
NORN_INTERPOSE(int, pthread_detach, (pthread_t thread)) {
  validation.detach(static_cast<uintptr_t>(thread));
  return real_pthread_detach(thread);
}

NORN_INTERPOSE(int, thrd_create, (thrd_t * thread, thrd_start_t routine, void* argument)) {
  if (is_alert()) validation.attend();
  KnownThread* announced = validation.announce(false);
  if (announced == nullptr) return real_thrd_create(thread, routine, argument);
  announced->c11_routine = routine;
  announced->argument = argument;
  const int result = real_thrd_create(thread, &run_c11_thread, announced);
  if (result != thrd_success) validation.take_back(*announced);
  return result;
}
NORN_INTERPOSE(int, thrd_join, (thrd_t thread, int* value)) {
  if (is_alert()) validation.attend();
  const Joining joining(thread);
  return join(thread, [=] { return real_thrd_join(thread, value); });
}
NORN_INTERPOSE(int, thrd_detach, (thrd_t thread)) {
  validation.detach(static_cast<uintptr_t>(thread));
  return real_thrd_detach(thread);
}

// A wait that is cancelled ends without coming back here: nobody knows what it took.
NORN_INTERPOSE(int, pthread_cancel, (pthread_t thread)) {
  validation.give_up();
  return real_pthread_cancel(thread);
}

// --- signals: their handlers run in any thread, after what was done before they were sent ------------------------

NORN_INTERPOSE(int, pthread_kill, (pthread_t thread, int number)) {
  validation.give_up();
  return real_pthread_kill(thread, number);
}
NORN_INTERPOSE(int, pthread_sigqueue, (pthread_t thread, int number, const sigval value)) {
  validation.give_up();
  return real_pthread_sigqueue(thread, number, value);
}
NORN_INTERPOSE(int, kill, (pid_t pid, int number)) {
  validation.give_up();
  return real_kill(pid, number);
}
NORN_INTERPOSE(int, tgkill, (pid_t pid, pid_t thread, int number)) {
  validation.give_up();
  return real_tgkill(pid, thread, number);
}
NORN_INTERPOSE(int, sigqueue, (pid_t pid, int number, const sigval value)) {
  validation.give_up();
  return real_sigqueue(pid, number, value);
}
NORN_INTERPOSE(int, raise, (int number)) {
  validation.give_up();
  return real_raise(number);
}
