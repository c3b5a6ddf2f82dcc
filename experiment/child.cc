#include "experiment/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>

namespace norn::experiment {
namespace {

constexpr int kForwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

constexpr int kFailedWrites[] = {SIGPIPE, SIGXFSZ};

volatile sig_atomic_t g_child = 0;
volatile sig_atomic_t g_sent_on = 0;             // the last signal that was
bool g_restored[std::size(kFailedWrites)] = {};  // which of them do what they do by default

void forward(int signal, siginfo_t* info, void*) {
  // A key at the terminal signals the whole foreground group: the child has it already.
  if (info->si_code == SI_KERNEL) return;
  const int saved = errno;
  if (g_child > 0) kill(static_cast<pid_t>(g_child), signal);
  g_sent_on = signal;
  errno = saved;
}

// Forwards signals while it lives. Who sends one to norn and then to its whole group, as timeout(1) does, sends it
// twice: the second may come when the child has ended by the first, and must not end norn before its report.
class Forwarding {
 public:
  Forwarding() {
    g_sent_on = 0;
    struct sigaction action{};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < std::size(kForwarded); ++i) {
      sigaction(kForwarded[i], nullptr, &old_[i]);
      // What norn was told to ignore (nohup), the child ignores too.
      if (old_[i].sa_handler != SIG_IGN) sigaction(kForwarded[i], &action, nullptr);
    }
  }
  ~Forwarding() {
    g_child = 0;
    for (size_t i = 0; i < std::size(kForwarded); ++i) sigaction(kForwarded[i], &old_[i], nullptr);
    if (g_sent_on == 0) return;
    struct sigaction pass_over{};
    pass_over.sa_handler = [](int) {};
    pass_over.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;  // one
    sigemptyset(&pass_over.sa_mask);
    sigaction(g_sent_on, &pass_over, nullptr);
  }
  Forwarding(const Forwarding&) = delete;
  Forwarding& operator=(const Forwarding&) = delete;

 private:
  struct sigaction old_[std::size(kForwarded)]{};
};

// False: the process did not end within so many seconds.
bool ends_within(pid_t pid, double seconds) {
  const auto process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  pollfd ends = {process, POLLIN, 0};
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  int ready = 0;
  do {
    const std::chrono::duration<double, std::milli> left = until - std::chrono::steady_clock::now();
    ready = poll(&ends, 1, static_cast<int>(std::clamp(left.count(), 0.0, 1e9)) + 1);
  } while (ready < 0 && errno == EINTR);
  close(process);
  return ready != 0;
}

// True: it had to be ended. First so that it can complete its report.
bool end_after(pid_t pid, double seconds) {
  if (ends_within(pid, seconds)) return false;
  constexpr double kGrace = 5;
  kill(pid, SIGTERM);
  if (!ends_within(pid, kGrace)) kill(pid, SIGKILL);
  return true;
}

}  // namespace

void ignore_failed_writes() {
  for (size_t i = 0; i < std::size(kFailedWrites); ++i) g_restored[i] = signal(kFailedWrites[i], SIG_IGN) == SIG_DFL;
}

void restore_failed_writes() {
  for (size_t i = 0; i < std::size(kFailedWrites); ++i)
    if (g_restored[i]) signal(kFailedWrites[i], SIG_DFL);
}

ChildEnd run_child(const std::string& path, const std::vector<std::string>& arguments, const Environment& environment,
                   double timeout, const std::vector<std::string>& whole) {
  ChildEnd end;
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);

  // Says errno if exec fails; exec itself closes it.
  int trouble[2];
  if (pipe2(trouble, O_CLOEXEC) != 0) {
    end.start_error = errno;
    return end;
  }
  // A signal between fork and the note of the child's pid must not be lost: it waits until then.
  sigset_t all, old_mask;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &old_mask);
  const Forwarding forwarding;
  const auto begin = std::chrono::steady_clock::now();
  const pid_t pid = fork();
  if (pid == 0) {
    // exec takes the handlers away, but a signal could come before it.
    for (const int signal : kForwarded) {
      struct sigaction now{};
      sigaction(signal, nullptr, &now);
      if (now.sa_handler != SIG_IGN) ::signal(signal, SIG_DFL);
    }
    restore_failed_writes();
    sigprocmask(SIG_SETMASK, &old_mask, nullptr);
    if (!whole.empty()) clearenv();
    for (const std::string& variable : whole) putenv(const_cast<char*>(variable.c_str()));
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    execv(path.c_str(), argv.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t written = write(trouble[1], &error, sizeof(error));
    _exit(127);
  }
  const int fork_error = errno;
  g_child = pid;
  sigprocmask(SIG_SETMASK, &old_mask, nullptr);
  close(trouble[1]);
  if (pid < 0) {
    close(trouble[0]);
    end.start_error = fork_error;
    return end;
  }
  int error = 0;
  ssize_t got = 0;
  do got = read(trouble[0], &error, sizeof(error));
  while (got < 0 && errno == EINTR);
  close(trouble[0]);

  if (timeout > 0) end.timed_out = end_after(pid, timeout);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (got == sizeof(error)) {
    end.start_error = error;
    return end;
  }
  end.started = true;
  end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
    end.exit = 128 + end.signal;
  } else {
    end.exit = WEXITSTATUS(status);
  }
  return end;
}

void die_by(int signal) {
  // The child's core is the one of interest.
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  ::signal(signal, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
  _exit(128 + signal);
}

}  // namespace norn::experiment
