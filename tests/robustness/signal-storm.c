// Signals come all the time, in all threads, while they lock, allocate and wait.
// STDOUT: done
// RUN: %check %s

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
volatile sig_atomic_t alarms;
long total;
int x;

__attribute__((no_sanitize("thread"))) static void on_alarm(int number) {
  (void)number;
  alarms = 1;
}

static void works(void) {
  for (int i = 0; i < 20000; i++) {
    char* block = malloc(64);
    memset(block, i, 64);
    pthread_mutex_lock(&mutex);
    total += block[i % 64];
    pthread_mutex_unlock(&mutex);
    free(block);
  }
}

static void first(void) {
  works();
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  works();
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) {
  struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  struct itimerval every = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &every, NULL);
  run_two(first, second);
  puts("done");
}
