// A handler stores the number that came with a signal, and a thread reads it. The handler runs in main's thread, the
// only one in which the signal is not blocked (POSIX.1-2017, XSH 2.4.1). volatile sig_atomic_t is for a thread and its
// own handler; between threads it is a plain object (C11 5.1.2.4p25, 7.14.1.1), and nothing orders the two.
// RUN: %check %s

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

int payload;
volatile sig_atomic_t last_payload;

static void handle(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  last_payload = info->si_value.sival_int;  // RACE: observed last_payload
}

static void* accepts(void* signals) {
  payload = last_payload;  // RACE: observed last_payload
  return signals;
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
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 42});
  pthread_join(thread, NULL);
  return payload != 42 && payload != 0;
}
