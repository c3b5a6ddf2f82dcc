// A thread reads a signal from a descriptor (Linux, signalfd(2)) that another generated for the process, after it had
// written what the signal is about: what was generated was so before it is accepted, as by sigwait (POSIX.1-2017, XSH
// 2.4.1).
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

int signals;
int request;

static void* server(void* sum) {
  struct signalfd_siginfo information;
  if (read(signals, &information, sizeof information) != (ssize_t)sizeof information) return sum;
  *(int*)sum = request;
  return NULL;
}

int main(void) {
  pthread_t thread;
  sigset_t set;
  int seen = 0;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  signals = signalfd(-1, &set, 0);
  if (signals < 0) return 1;
  pthread_create(&thread, NULL, server, &seen);
  request = 7;
  kill(getpid(), SIGUSR1);
  pthread_join(thread, NULL);
  return seen > 7;
}
