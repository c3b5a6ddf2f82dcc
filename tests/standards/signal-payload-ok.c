// A thread accepts a queued signal by sigwaitinfo and takes the number that came with it from there (POSIX.1-2017, XSH
// sigwaitinfo, sigqueue). The signal is blocked in all threads; no memory is shared.
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

int payload;

static void handle(int number, siginfo_t* info, void* context) { (void)number, (void)info, (void)context; }

static void* accepts(void* signals) {
  siginfo_t info;
  if (sigwaitinfo(signals, &info) > 0) payload = info.si_value.sival_int;
  return NULL;
}

int main(void) {
  sigset_t signals;
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
  pthread_t thread;
  sigemptyset(&signals);
  sigaddset(&signals, SIGRTMIN);
  sigemptyset(&action.sa_mask);
  sigaction(SIGRTMIN, &action, NULL);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  pthread_create(&thread, NULL, accepts, &signals);
  sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 42});
  pthread_join(thread, NULL);
  return payload != 42;
}
