// A thread reads a signal from a descriptor (Linux, signalfd(2)) that another generated for the process. What the
// signal is about is written when it has been generated: nothing orders that and who accepted the signal.
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
  *(int*)sum = request;  // RACE: observed request
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
  kill(getpid(), SIGUSR1);
  request = 7;  // RACE: observed request
  pthread_join(thread, NULL);
  return seen > 7;
}
