// Line 20: signals come at once while a thread computes, interrupt what they should, and do not deadlock.
// NORACE
// STDOUT: 5 in a loop, interrupted, 1000 while locking
// RUN: %check %s

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
volatile sig_atomic_t signals;
sem_t empty;
int locks;

static void on_signal(int number) {
  (void)number;
  signals++;
}

static void every(long microseconds) {
  struct itimerval timer = {{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGALRM, &action, NULL);

  every(2000);
  while (signals < 5) {
  }
  every(0);
  int in_loop = 5;

  sem_init(&empty, 0, 0);
  every(2000);
  int interrupted = sem_wait(&empty) == -1 && errno == EINTR;
  every(200);
  for (int i = 0; i < 1000; i++) {
    pthread_mutex_lock(&mutex);
    locks++;
    pthread_mutex_unlock(&mutex);
  }
  every(0);
  printf("%d in a loop, %s, %d while locking\n", in_loop, interrupted ? "interrupted" : "not interrupted", locks);
}
