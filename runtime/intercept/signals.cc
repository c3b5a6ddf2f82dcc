// A handler of the program is called through the runtime's own, which
// - keeps a signal that arrives while its thread is inside the runtime until it leaves (microseconds later: a thread
//   that blocks is outside), so that a handler finds the runtime whole, and whatever it does counts: it is its thread
//   that does it;
// - leaves a slot of the call stack free, as include/norn/abi.h asks;
// - keeps what the handler pushed from the frames it interrupted;
// - comes after the sigaction that named the handler, and after whoever sent the signal;
// - is not ignored because the code that it interrupted asked to be.
// Faults cannot wait: a handler of a fault inside the runtime is called at once, and what it does does not count.
//
// Signals that would end the process have a handler that completes the report and lets them do so.
#include "runtime/intercept/signals.h"

#include <errno.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "core/order/release_clock.h"
#include "runtime/control/control.h"
#include "runtime/hooks/access_hooks.h"
#include "runtime/inputs/inputs.h"
#include "runtime/intercept/descriptors.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"
#include "runtime/process/settings.h"
#include "runtime/process/state.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/misuse.h"
#include "runtime/reporting/reporter.h"

namespace norn::rt {
namespace {

constexpr int kSignals = 65;

struct Action {
  SpinMutex mutex;
  struct sigaction action = {};  // as the program set it
  bool ours = false;             // the kernel has our handler
  ReleaseClock set;              // what came before the program set it
};
constinit Action actions[kSignals];

// Where no program has memory, and no file its tag (files.cc).
Address tag_of(int number, ThreadId to) {
  return Address{1} << 63 | Address{to} << 8 | static_cast<Address>(static_cast<unsigned>(number));
}

using Handler = void (*)(int, siginfo_t*, void*);
using PlainHandler = void (*)(int);

bool is_handler(const struct sigaction& action) {
  if ((action.sa_flags & SA_SIGINFO) != 0) return action.sa_sigaction != nullptr;
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

bool is_fault(int number, const siginfo_t* info) {
  const bool can_be = number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
                      number == SIGTRAP || number == SIGSYS;
  return can_be && info != nullptr && info->si_code > 0;
}

void keep(ThreadState& state, int number, const siginfo_t* info) {
  const uint32_t at = state.kept_signals.load(std::memory_order_relaxed);
  if (at >= ThreadState::kMaxKept) return;
  state.kept[at].number = number;
  if (info != nullptr) state.kept[at].info = *info;
  state.kept_signals.store(at + 1, std::memory_order_relaxed);
}

void on_signal(int number, siginfo_t* info, void* context);

// Whether somebody else sent it: another process, or whoever sits at the terminal.
bool is_from_outside(const siginfo_t* info) {
  if (info == nullptr) return false;
  return info->si_code == SI_KERNEL ||
         (info->si_code <= 0 && info->si_code != SI_TIMER && info->si_code != SI_ASYNCIO && info->si_code != SI_MESGQ &&
          static_cast<uint32_t>(info->si_pid) != start.pid);
}

void on_fatal_signal(int number, siginfo_t* info, void* /*context*/) {
  const int saved = errno;
  if (inputs::recording && !is_fault(number, info) && is_from_outside(info)) inputs::got_signal(number);
  const struct {
    PlainHandler handler;
    unsigned long flags;
    void* restorer;
    uint64_t mask;
  } by_default = {SIG_DFL, 0, nullptr, 0};
  finish_report(128 + number);
  sys::call(__NR_rt_sigaction, number, sys::as_long(&by_default), 0, 8);
  errno = saved;
  // A fault happens again when its instruction does; anything else is sent again.
  if (!is_fault(number, info)) sys::call(__NR_tgkill, sys::pid(), sys::tid(), number);
}

void call_handler(const struct sigaction& action, int number, siginfo_t* info, void* context) {
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(number, info, context);
  } else {
    action.sa_handler(number);
  }
}

// While a handler runs, what its thread was asked to ignore counts again.
class Heeded {
 public:
  explicit Heeded(const ThreadState* state) {
    if (state == nullptr || state->core->ignoring == 0) return;
    const Inspection here;
    if (!here) return;
    for (unsigned i = 0; i < kKinds; ++i) {
      depth_[i] = here.thread().ignore_depth[i];
      any_ = any_ || depth_[i] != 0;
      set_depth(here.thread(), i, 0);
    }
  }
  ~Heeded() {
    if (!any_) return;
    const Inspection here;
    if (!here) return;
    for (unsigned i = 0; i < kKinds; ++i) set_depth(here.thread(), i, depth_[i]);
  }
  Heeded(const Heeded&) = delete;
  Heeded& operator=(const Heeded&) = delete;

 private:
  static constexpr unsigned kKinds = 3;

  static void set_depth(Thread& thread, unsigned kind, uint32_t depth) {
    const auto what = static_cast<uint8_t>(1u << kind);
    while (thread.ignore_depth[kind] < depth) emit.ignore_begin(thread, what);
    while (thread.ignore_depth[kind] > depth) emit.ignore_end(thread, what);
  }

  uint32_t depth_[kKinds] = {};
  bool any_ = false;
};

// The action that is set now, and the order of who set it.
struct sigaction take_action(int number) {
  const Inspection here;  // before the mutex: nobody waits at the gate with it, and no other handler comes in between
  Action& known = actions[number];
  const SpinLock lock(known.mutex);
  const struct sigaction action = known.action;
  if (here && is_handler(action)) emit.clock_acquire(here.thread(), known.set);
  if ((static_cast<unsigned>(action.sa_flags) & SA_RESETHAND) != 0) {
    known.action.sa_handler = SIG_DFL;
    known.action.sa_flags = 0;
    known.ours = false;
  }
  return action;
}

// Whether the signal came at a moment that its thread knows: by an instruction of its own, or because it sent it.
bool is_expected(const ThreadState& state, int number, const siginfo_t* info) {
  if (info == nullptr || number == SIGABRT || state.raising == number || is_fault(number, info)) return true;
  return info->si_code == SI_USER && static_cast<uint32_t>(info->si_pid) == start.pid;
}

void on_signal(int number, siginfo_t* info, void* context) {
  ThreadState* state = current_state;
  if (state != nullptr && state->depth.load(std::memory_order_relaxed) != 0 && !is_fault(number, info)) {
    keep(*state, number, info);
    return;
  }
  // Counted first: whoever enters the runtime here must not wait for a thread that may wait for what was interrupted.
  if (state != nullptr) ++state->handlers;
  const int saved_errno = errno;
  const struct sigaction action = take_action(number);
  if (inputs::recording && !is_fault(number, info) && is_from_outside(info)) inputs::got_signal(number);
  if (is_handler(action)) {
    got_signal(number);
    errno = saved_errno;
    // The slot may be half pushed, or old: its place is not known.
    const norn_site** saved = __norn_stack;
    *saved = CallStack::site_of(*saved);
    if (state != nullptr) state->running->forget_foreign(saved);
    __norn_stack = saved + 1;
    const bool outside = state != nullptr && !is_expected(*state, number, info);
    if (outside) {
      ++state->outside_handlers;
      saved[1] = nullptr;
    }
    int left = saved_errno;
    {
      const Heeded heeded(state);
      const control::Handler turn;
      call_handler(action, number, info, context);
      left = errno;
    }
    if (outside) {
      --state->outside_handlers;
      if (left != saved_errno) note_errno_changed(*state, CallStack::site_of(saved[1]));
    }
    errno = left;
    __norn_stack = saved;
  }
  if (state != nullptr) --state->handlers;
}

constexpr int kFatal[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGPIPE, SIGXCPU,  SIGXFSZ,
                          SIGSEGV, SIGBUS, SIGFPE, SIGILL,  SIGABRT, SIGTRAP, SIGSYS,  SIGPROF, SIGVTALRM};

bool is_fatal(int number) {
  for (const int fatal : kFatal) {
    if (fatal == number) return true;
  }
  return false;
}

}  // namespace

void sending_signal(int number, ThreadId to) {
  if (number <= 0 || number >= kSignals || !is_watching()) return;
  if (const Inspection here; here) emit.happens_before(here.thread(), tag_of(number, to));
  giving_to_signal_files();
}

void got_signal(int number) {
  if (number <= 0 || number >= kSignals || !is_watching()) return;
  const Inspection here;
  if (!here) return;
  emit.happens_after(here.thread(), tag_of(number, kNoThread));
  emit.happens_after(here.thread(), tag_of(number, here->id));
}

long write_quietly(int fd, const char* data, size_t size) {
  const auto write = [&] {
    long written = sys::kInterrupted;
    while (written == sys::kInterrupted) {
      written = sys::call(__NR_write, fd, sys::as_long(data), static_cast<long>(size));
    }
    return written;
  };
  if (sys::restricted.load(std::memory_order_relaxed)) return write();
  const SignalsBlocked blocked;
  const long written = write();
  const int sent = written == -EPIPE ? SIGPIPE : written == -EFBIG ? SIGXFSZ : 0;
  if (sent != 0) {
    const SignalMask mask = SignalMask{1} << (sent - 1);
    const timespec at_once{};
    sys::call(__NR_rt_sigtimedwait, sys::as_long(&mask), 0, sys::as_long(&at_once), sizeof(mask));
  }
  return written;
}

bool write_all_quietly(int fd, const char* data, size_t size) {
  while (size > 0) {
    const long written = write_quietly(fd, data, size);
    if (written <= 0) return false;
    data += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

bool has_handler(int number) {
  const SpinLock lock(actions[number].mutex);
  return is_handler(actions[number].action);
}

bool may_be_interrupted() {
  for (int number = 1; number < kSignals; ++number) {
    const bool is_fault = number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL ||
                          number == SIGTRAP || number == SIGABRT || number == SIGPIPE || number == SIGSYS;
    if (is_fault) continue;
    const SpinLock lock(actions[number].mutex);
    if (is_handler(actions[number].action)) return true;
  }
  return false;
}

Arriving arriving(SignalMask blocked) {
  SignalMask pending = 0;
  if (sys::call(__NR_rt_sigpending, sys::as_long(&pending), sizeof(pending)) != 0) return Arriving::kNothing;
  pending &= ~blocked;
  Arriving all = Arriving::kNothing;
  for (int number = 1; number < kSignals; ++number) {
    if ((pending >> (number - 1) & 1) == 0) continue;
    const SpinLock lock(actions[number].mutex);
    const struct sigaction& action = actions[number].action;
    if (is_handler(action) ? (action.sa_flags & SA_RESTART) == 0 : is_fatal(number)) return Arriving::kInterrupts;
    if (is_handler(action)) all = Arriving::kRestarts;
  }
  return all;
}

void deliver_kept_signals(ThreadState& state) {
  // Sent again, they arrive as they would have: with their mask, on their stack. New ones may come in between.
  const SignalsBlocked blocked;
  const uint32_t count = state.kept_signals.load(std::memory_order_relaxed);
  state.kept_signals.store(0, std::memory_order_relaxed);
  for (uint32_t i = 0; i < count; ++i) {
    sys::call(__NR_rt_tgsigqueueinfo, sys::pid(), sys::tid(), state.kept[i].number, sys::as_long(&state.kept[i].info));
  }
}

}  // namespace norn::rt

using namespace norn;
using namespace norn::rt;

NORN_INTERPOSE(int, sigaction, (int number, const struct sigaction* action, struct sigaction* old)) {
  if (!has_started()) return -1;
  if (number <= 0 || number >= kSignals || number == SIGKILL || number == SIGSTOP) {
    return real_sigaction(number, action, old);
  }
  // So that a handler does not find the mutex taken by its own thread.
  const SignalsBlocked blocked;
  const Inspection here;
  const SpinLock lock(actions[number].mutex);
  Action& known = actions[number];
  struct sigaction wanted = {};
  const struct sigaction before = known.action;
  if (action != nullptr) {
    wanted = *action;
    if (is_handler(wanted)) {
      wanted.sa_sigaction = &on_signal;
      wanted.sa_flags |= SA_SIGINFO;
    } else if (wanted.sa_handler == SIG_DFL && is_fatal(number)) {
      wanted.sa_sigaction = &on_fatal_signal;
      wanted.sa_flags |= SA_SIGINFO | SA_ONSTACK;
    }
  }
  struct sigaction kernel = {};
  const int result = real_sigaction(number, action != nullptr ? &wanted : nullptr, &kernel);
  if (result != 0) return result;
  if (old != nullptr) {
    *old = kernel;
    if (known.ours) {
      *old = before;
    }
  }
  if (action != nullptr) {
    known.action = *action;
    if (here) {
      emit.clock_clear(known.set);
      emit.clock_release(here.thread(), known.set);
    }
    known.ours = wanted.sa_flags != action->sa_flags || is_handler(*action);
  }
  return 0;
}

namespace {

PlainHandler set_handler(int number, PlainHandler handler, int flags) {
  struct sigaction action = {};
  struct sigaction old = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  if (norn_interposed_sigaction(number, &action, &old) != 0) return SIG_ERR;
  return old.sa_handler;
}

}  // namespace

NORN_INTERPOSE(PlainHandler, signal, (int number, PlainHandler handler)) {
  if (!has_started()) return SIG_ERR;
  if (number <= 0 || number >= kSignals) return real_signal(number, handler);
  return set_handler(number, handler, SA_RESTART);
}

NORN_INTERPOSE(PlainHandler, bsd_signal, (int number, PlainHandler handler)) {
  if (!has_started()) return SIG_ERR;
  return set_handler(number, handler, SA_RESTART);
}

NORN_INTERPOSE(PlainHandler, sysv_signal, (int number, PlainHandler handler)) {
  if (!has_started()) return SIG_ERR;
  return set_handler(number, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}

NORN_INTERPOSE(PlainHandler, __sysv_signal, (int number, PlainHandler handler)) {
  if (!has_started()) return SIG_ERR;
  return set_handler(number, handler, static_cast<int>(SA_RESETHAND | SA_NODEFER));
}

// --- sending ---------------------------------------------------------------------------------------------------------

namespace {

// Whether such a signal may arrive here.
bool is_own_process(pid_t pid) {
  return pid == static_cast<pid_t>(sys::pid()) || pid == 0 || pid == -1 || -pid == sys::call(__NR_getpgrp);
}

}  // namespace

NORN_INTERPOSE(int, kill, (pid_t pid, int number)) {
  if (!has_started()) return -1;
  if (is_own_process(pid)) sending_signal(number, kNoThread);
  return real_kill(pid, number);
}

NORN_INTERPOSE(int, killpg, (pid_t group, int number)) {
  if (!has_started()) return -1;
  if (is_own_process(-group)) sending_signal(number, kNoThread);
  return real_killpg(group, number);
}

NORN_INTERPOSE(int, sigqueue, (pid_t pid, int number, sigval value)) {
  if (!has_started()) return -1;
  if (is_own_process(pid)) sending_signal(number, kNoThread);
  return real_sigqueue(pid, number, value);
}

// Which thread has this number in the kernel is not known.
NORN_INTERPOSE(int, tgkill, (pid_t pid, pid_t thread, int number)) {
  if (!has_started()) return -1;
  if (is_own_process(pid)) sending_signal(number, kNoThread);
  return real_tgkill(pid, thread, number);
}

// A timer's signal comes after the timer was set.
NORN_INTERPOSE(unsigned, alarm, (unsigned seconds)) {
  if (!has_started()) return 0;
  sending_signal(SIGALRM, kNoThread);
  return real_alarm(seconds);
}

NORN_INTERPOSE(useconds_t, ualarm, (useconds_t first, useconds_t every)) {
  if (!has_started()) return 0;
  sending_signal(SIGALRM, kNoThread);
  return real_ualarm(first, every);
}

NORN_INTERPOSE(int, setitimer, (int which, const itimerval* value, itimerval* old)) {
  if (!has_started()) return -1;
  if (value != nullptr) observe_read(value, sizeof(*value), site_setitimer);
  sending_signal(which == ITIMER_REAL ? SIGALRM : which == ITIMER_VIRTUAL ? SIGVTALRM : SIGPROF, kNoThread);
  const int result = real_setitimer(static_cast<__itimer_which>(which), value, old);
  if (result == 0 && old != nullptr) observe_write(old, sizeof(*old), site_setitimer);
  return result;
}

// What the handler does then is done at a moment that the thread chose.
NORN_INTERPOSE(int, raise, (int number)) {
  if (!has_started()) return -1;
  ThreadState* state = current_state;
  if (state == nullptr) return real_raise(number);
  const int before = state->raising;
  state->raising = number;
  const int result = real_raise(number);
  state->raising = before;
  return result;
}

void norn::rt::init_signals() {
  if (real_sigaction == nullptr) return;
  for (const int number : kFatal) {
    struct sigaction before = {};
    if (real_sigaction(number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction ours = {};
    ours.sa_sigaction = &on_fatal_signal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    if (real_sigaction(number, &ours, nullptr) == 0) actions[number].ours = true;
  }
}
