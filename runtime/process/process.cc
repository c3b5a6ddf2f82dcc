#include "runtime/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "hazards/hazard_listener.h"
#include "runtime/control/control.h"
#include "runtime/inputs/inputs.h"
#include "runtime/intercept/interpose.h"
#include "runtime/intercept/signals.h"
#include "runtime/intercept/streams/stdio.h"
#include "runtime/intercept/threading/threads.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/recording.h"
#include "runtime/reporting/reporter.h"

extern "C" char** environ;

namespace norn::rt {

namespace {

NORN_REAL_INTERPOSED(int, on_exit, (void (*function)(int, void*), void* argument))
NORN_REAL_INTERPOSED(int, __cxa_at_quick_exit, (void (*function)(void*), void* module))
NORN_REAL(int, __register_atfork, (void (*prepare)(), void (*parent)(), void (*child)(), void* object))

// Registered before anything of the program, so it runs after everything of it.
void at_exit(int status, void* /*argument*/) {
  if (sys::pid() != start.pid) return;
  if (!is_controlled()) note_thread_leaks();
  finish_report(status);
  const int final = final_status(status);
  if (final == status) return;
  flush_streams();
  sys::exit_process(final);
}

// What the program registered before its first thread runs after this.
constexpr norn_site kExit = library_site("exit");
void stop_before_exit(int /*status*/, void* /*argument*/) { control::pass(control::Op::kEnd, nullptr, kExit); }
constinit bool expects_exit = false;

constinit int quick_status = 0;

// Registered first as well, so it runs last.
void at_quick_exit_of_program(void* /*argument*/) {
  if (sys::pid() != start.pid) return;
  finish_report(quick_status);
  const int final = final_status(quick_status);
  if (final != quick_status) sys::exit_process(final);
}

// --- fork --------------------------------------------------------------------------------------------------------

constinit SignalMask mask_before_fork = 0;  // of the thread that closed the gate
constinit bool has_barrier = false;

// Makes every thread of the process execute a memory barrier.
void barrier_everywhere() {
  const bool may_call = !sys::restricted.load(std::memory_order_relaxed);
  if (has_barrier && may_call && sys::call(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0) == 0) return;
  // Without the call: a store becomes visible long before this is over.
  for (unsigned i = 0; i < 100; ++i) sys::yield();
}

// Registered first, so it runs last, when the program's own handlers have taken their locks: from here on nobody is
// inside the runtime, and nobody comes in. Signals wait: a handler on this thread would stand before the gate that only
// this thread can open.
void before_fork() {
  ThreadState* self = current_state;
  const SignalMask mask = block_signals();
  for (;;) {
    // Threads that begin are not known yet, and may need the gate open to become so.
    while (threads_are_beginning()) sys::yield();
    while (!close_gate()) sys::yield();
    barrier_everywhere();
    if (!threads_are_beginning()) break;
    open_gate();
  }
  for (ThreadState* other = first_state(); other != nullptr; other = other->next) {
    if (other == self) continue;
    while (other->live.load(std::memory_order_acquire) && other->depth.load(std::memory_order_acquire) != 0) {
      sys::yield();
    }
  }
  mask_before_fork = mask;
}

void after_fork_in_parent() {
  const SignalMask mask = mask_before_fork;
  open_gate();
  set_signal_mask(mask);
}

void after_fork_in_child() {
  start.parent = start.pid;
  start.pid = sys::pid();
  start.is_child = true;
  open_gate();
  control::stop();
  inputs::stop();
  ThreadState* self = current_state;
  const bool entered = self != nullptr && enter(*self);
  restart_recording();
  if (self != nullptr) {
    // The others do not exist here, and what they did before the fork is all that will be seen of it.
    forget_other_threads(*self);
    watching.store(false, std::memory_order_relaxed);
    hazard_listener.lock_order.watch(false);
  }
  restart_reporter();
  if (entered) leave(*self);
  set_signal_mask(mask_before_fork);
}

// For children that are made without the C library's handlers.
template <class Make>
long fork_by(Make make) {
  before_fork();
  const long result = make();
  result == 0 ? after_fork_in_child() : after_fork_in_parent();
  return result;
}

// What a child that was made by clone() does in its copy of the memory.
struct Cloned {
  int (*function)(void*);
  void* argument;
};

int run_cloned(void* given) {
  const auto* cloned = static_cast<const Cloned*>(given);
  after_fork_in_child();
  const int status = cloned->function(cloned->argument);
  finish_report(status);
  return final_status(status);
}

// --- exec --------------------------------------------------------------------------------------------------------

constexpr int kMaxArguments = 4096;

// An exec that returns has failed, and the program goes on.
int failed_exec(int result) {
  resume_report();
  return result;
}

}  // namespace

void expect_exit() {
  if (expects_exit || real_on_exit == nullptr) return;
  expects_exit = true;
  real_on_exit(&stop_before_exit, nullptr);
}

void exits_quickly(int status) {
  control::pass(control::Op::kEnd, nullptr, kExit);
  quick_status = status;
}

long fork_by_call(long number, long a, long b, long c, long d, long e) {
  return fork_by([=] { return sys::call(number, a, b, c, d, e); });
}

size_t main_stack_size() {
  constexpr size_t kMost = size_t{1} << 30;
  constexpr size_t kLeast = size_t{8} << 20;
  rlimit limit{};
  if (sys::call(__NR_getrlimit, RLIMIT_STACK, sys::as_long(&limit)) != 0 || limit.rlim_cur > kMost) return kMost;
  return limit.rlim_cur < kLeast ? kLeast : limit.rlim_cur;
}

void init_process() {
  has_barrier = sys::call(__NR_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) == 0;
  if (has_barrier) core_barrier = &barrier_everywhere;
  if (real_on_exit != nullptr) real_on_exit(&at_exit, nullptr);
  if (real___cxa_at_quick_exit != nullptr) real___cxa_at_quick_exit(&at_quick_exit_of_program, nullptr);
  if (real___register_atfork != nullptr) {
    real___register_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child, nullptr);
  }
}

}  // namespace norn::rt

using namespace norn::rt;

NORN_INTERPOSE(void, _exit, (int status)) {
  if (has_started() && sys::pid() == start.pid) {
    control::pass(control::Op::kEnd, nullptr, site__exit);
    finish_report(status);
    status = final_status(status);
  }
  sys::exit_process(status);
}

NORN_INTERPOSE(void, _Exit, (int status)) {
  if (has_started() && sys::pid() == start.pid) {
    control::pass(control::Op::kEnd, nullptr, site__Exit);
    finish_report(status);
    status = final_status(status);
  }
  sys::exit_process(status);
}

// Without shared memory it is a fork; with it, a thread or a vfork by other means, which is left alone.
NORN_INTERPOSE(int, clone,
               (int (*function)(void*), void* stack, int flags, void* argument, pid_t* parent_id, void* tls,
                pid_t* child_id)) {
  if (!has_started()) return -1;
  if ((flags & CLONE_VM) != 0) return real_clone(function, stack, flags, argument, parent_id, tls, child_id);
  Cloned cloned = {function, argument};
  before_fork();
  const int child = real_clone(&run_cloned, stack, flags, &cloned, parent_id, tls, child_id);
  after_fork_in_parent();
  return child;
}

NORN_INTERPOSE(pid_t, _Fork, ()) {
  if (!has_started()) return -1;
  return static_cast<pid_t>(fork_by([] { return static_cast<long>(real__Fork()); }));
}

namespace {

NORN_REAL(pid_t, fork, ())

// 0 or an errno.
int put_null_device_everywhere() {
  const int fd = sys::open_file("/dev/null", O_RDWR);
  if (fd < 0) return ENODEV;
  struct stat status{};
  const bool is_it = sys::call(__NR_fstat, fd, sys::as_long(&status)) == 0 && S_ISCHR(status.st_mode) &&
                     status.st_rdev == makedev(1, 3);
  for (int standard = 0; is_it && standard <= 2; ++standard) sys::call(__NR_dup2, fd, standard);
  if (fd > 2) sys::close_file(fd);
  return is_it ? 0 : ENODEV;
}

}  // namespace

// What the C library's does; but there the parent ends by a call that cannot be seen, without a word.
NORN_INTERPOSE(int, daemon, (int keeps_directory, int keeps_streams)) {
  if (!has_started()) return -1;
  const pid_t child = real_fork();
  if (child < 0) return -1;
  if (child != 0) {
    finish_report(0);
    sys::exit_process(final_status(0));
  }
  long error = -sys::call(__NR_setsid);
  if (error <= 0) error = 0;
  if (error == 0 && keeps_directory == 0) sys::call(__NR_chdir, sys::as_long("/"));
  if (error == 0 && keeps_streams == 0) error = put_null_device_everywhere();
  if (error == 0) return 0;
  errno = static_cast<int>(error);
  return -1;
}

NORN_INTERPOSE(int, execve, (const char* path, char* const* arguments, char* const* environment)) {
  if (!has_started()) return -1;
  flush_report();
  return failed_exec(real_execve(path, arguments, environment));
}

NORN_INTERPOSE(int, execv, (const char* path, char* const* arguments)) {
  if (!has_started()) return -1;
  flush_report();
  return failed_exec(real_execve(path, arguments, environ));
}

NORN_INTERPOSE(int, execvp, (const char* file, char* const* arguments)) {
  if (!has_started()) return -1;
  flush_report();
  return failed_exec(real_execvp(file, arguments));
}

NORN_INTERPOSE(int, execvpe, (const char* file, char* const* arguments, char* const* environment)) {
  if (!has_started()) return -1;
  flush_report();
  return failed_exec(real_execvpe(file, arguments, environment));
}

NORN_INTERPOSE(int, fexecve, (int fd, char* const* arguments, char* const* environment)) {
  if (!has_started()) return -1;
  flush_report();
  return failed_exec(real_fexecve(fd, arguments, environment));
}

NORN_INTERPOSE(int, execveat,
               (int directory, const char* path, char* const* arguments, char* const* environment, int flags)) {
  if (!has_started()) return -1;
  flush_report();
  return failed_exec(real_execveat(directory, path, arguments, environment, flags));
}

// The list forms are the vector forms.
#define NORN_COLLECT_ARGUMENTS(first)                             \
  char* arguments[kMaxArguments];                                 \
  int count = 0;                                                  \
  va_list list;                                                   \
  va_start(list, first);                                          \
  for (char* argument = const_cast<char*>(first);;) {             \
    arguments[count++] = argument;                                \
    if (argument == nullptr || count == kMaxArguments - 1) break; \
    argument = va_arg(list, char*);                               \
  }                                                               \
  arguments[count] = nullptr

NORN_INTERPOSE(int, execl, (const char* path, const char* first, ...)) {
  if (!has_started()) return -1;
  NORN_COLLECT_ARGUMENTS(first);
  va_end(list);
  flush_report();
  return failed_exec(real_execve(path, arguments, environ));
}

NORN_INTERPOSE(int, execlp, (const char* file, const char* first, ...)) {
  if (!has_started()) return -1;
  NORN_COLLECT_ARGUMENTS(first);
  va_end(list);
  flush_report();
  return failed_exec(real_execvp(file, arguments));
}

NORN_INTERPOSE(int, execle, (const char* path, const char* first, ...)) {
  if (!has_started()) return -1;
  NORN_COLLECT_ARGUMENTS(first);
  char* const* environment = va_arg(list, char* const*);
  va_end(list);
  flush_report();
  return failed_exec(real_execve(path, arguments, environment));
}
