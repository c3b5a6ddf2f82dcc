// A handler of the program is called through the runtime's own, which
// - keeps a signal that arrives while its thread is inside the runtime until it leaves (microseconds later: a thread
//   that blocks is outside), so that a handler finds the runtime whole, and whatever it does counts: it is its thread
//   that does it;
// - leaves a slot of the call stack free, as runtime/abi.h asks;
// - keeps what the handler pushed from the frames it interrupted.
// Faults cannot wait: a handler of a fault inside the runtime is called at once, and what it does does not count.
//
// Signals that would end the process have a handler that completes the report and lets them do so.
#include "runtime/signals.h"

#include <errno.h>
#include <signal.h>

#include "runtime/control.h"
#include "runtime/interpose.h"
#include "runtime/reporter.h"
#include "runtime/settings.h"
#include "runtime/state.h"
#include "runtime/syscalls.h"

namespace norn::rt {
namespace {

constexpr int kSignals = 65;

struct Action {
  SpinMutex mutex;
  struct sigaction action = {};  // as the program set it
  bool ours = false;             // the kernel has our handler
};
constinit Action actions[kSignals];

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

void on_fatal_signal(int number, siginfo_t* info, void* /*context*/) {
  const int saved = errno;
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

void on_signal(int number, siginfo_t* info, void* context) {
  ThreadState* state = current_state;
  if (state != nullptr && state->depth.load(std::memory_order_relaxed) != 0 && !is_fault(number, info)) {
    keep(*state, number, info);
    return;
  }
  // Nobody holds the mutex for longer than a copy, with signals blocked.
  struct sigaction action;
  {
    const SpinLock lock(actions[number].mutex);
    action = actions[number].action;
    if ((static_cast<unsigned>(action.sa_flags) & SA_RESETHAND) != 0) {
      actions[number].action.sa_handler = SIG_DFL;
      actions[number].action.sa_flags = 0;
      actions[number].ours = false;
    }
  }
  if (!is_handler(action)) return;
  // The slot may be half pushed, or old: its place is not known.
  const norn_site** saved = __norn_stack;
  *saved = CallStack::site_of(*saved);
  __norn_stack = saved + 1;
  if (state != nullptr) ++state->handlers;
  {
    const control::Handler turn;
    call_handler(action, number, info, context);
  }
  if (state != nullptr) --state->handlers;
  __norn_stack = saved;
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
