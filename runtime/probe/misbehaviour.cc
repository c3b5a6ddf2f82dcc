#include "runtime/probe/misbehaviour.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include <atomic>

#include "runtime/probe/following.h"
#include "runtime/probe/validation.h"
#include "runtime/process/syscalls.h"

namespace norn::probe {
namespace {

namespace sys = rt::sys;

constexpr int kFatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};

constinit std::atomic<bool> steered{false};
constinit std::atomic<bool> asks{false};

// As if there had been no handler.
void end_by(int number) {
  struct sigaction plain{};
  plain.sa_handler = SIG_DFL;
  sigaction(number, &plain, nullptr);
  // It comes when the handler returns: at the same instruction, or by this.
  sys::call(__NR_tgkill, sys::pid(), sys::tid(), number);
}

void on_crash(int number, siginfo_t* /*info*/, void* context) {
  const auto* at = static_cast<const ucontext_t*>(context);
  validation.crash(number, static_cast<uintptr_t>(at->uc_mcontext.gregs[REG_RIP]));
  end_by(number);
}

void on_interrupt(int number) {
  constexpr char kQuestion[] = "\nDid the program misbehave (crash, hang, wrong results)? [y/N] ";
  constexpr int kPatience = 30'000;  // milliseconds
  const long terminal = sys::call(__NR_openat, AT_FDCWD, sys::as_long("/dev/tty"), O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (!sys::failed(terminal)) {
    char said = 0;
    sys::call(__NR_write, terminal, sys::as_long(kQuestion), sizeof(kQuestion) - 1);
    pollfd wanted{static_cast<int>(terminal), POLLIN, 0};
    const bool answered = sys::call(__NR_poll, sys::as_long(&wanted), 1, kPatience) > 0 &&
                          sys::call(__NR_read, terminal, sys::as_long(&said), 1) == 1;
    sys::call(__NR_close, terminal);
    if (answered) validation.answer(said == 'y' || said == 'Y');
  }
  end_by(number);
}

template <class Install>
void unless_handled(int number, Install install) {
  struct sigaction now{};
  if (sigaction(number, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) return;
  struct sigaction ours{};
  sigemptyset(&ours.sa_mask);
  install(ours);
  sigaction(number, &ours, nullptr);
}

}  // namespace

void expect_crash() {
  expect_hang();
  if (steered.exchange(true)) return;
  for (const int number : kFatal) {
    unless_handled(number, [](struct sigaction& ours) {
      ours.sa_sigaction = &on_crash;
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    });
  }
}

void expect_interrupt() {
  if (asks.exchange(true)) return;
  unless_handled(SIGINT, [](struct sigaction& ours) { ours.sa_handler = &on_interrupt; });
}

bool has_steered() { return steered.load(std::memory_order_relaxed); }

}  // namespace norn::probe
