// A thread of its own takes signals by sigwaitinfo (POSIX.1-2017, XSH sigwaitinfo, 2.4.2): who queues one with a
// pointer has written what it points to before. A signal is received after it was sent, and its value is the pointer.
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

struct config {
  int threads;
  int verbose;
};

struct config config;
int threads;

static void* takes_signals(void* signals) {
  siginfo_t info;
  if (sigwaitinfo(signals, &info) == SIGRTMIN) {
    const struct config* received = info.si_value.sival_ptr;
    threads = received->threads;
  }
  return NULL;
}

int main(void) {
  sigset_t signals;
  pthread_t thread;
  sigemptyset(&signals);
  sigaddset(&signals, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  pthread_create(&thread, NULL, takes_signals, &signals);
  config.threads = 4;
  config.verbose = 1;
  sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_ptr = &config});
  pthread_join(thread, NULL);
  return threads != 4;
}
