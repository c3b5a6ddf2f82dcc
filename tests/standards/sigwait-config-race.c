// A thread of its own takes signals by sigwaitinfo (POSIX.1-2017, XSH sigwaitinfo, 2.4.2), and the signal's value
// points to a structure that the sender goes on to fill in: what is done after sigqueue is not ordered with the
// receiver (XBD 4.12).
// RUN: %check %s

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

struct config {
  int threads;
  int verbose;
};

struct config config;
int seen;

static void* takes_signals(void* signals) {
  siginfo_t info;
  if (sigwaitinfo(signals, &info) == SIGRTMIN) {
    const struct config* received = info.si_value.sival_ptr;
    seen = received->threads + received->verbose;  // RACE: observed config
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
  sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_ptr = &config});
  config.verbose = 1;  // RACE: observed config
  pthread_join(thread, NULL);
  return seen != 4 && seen != 5;
}
