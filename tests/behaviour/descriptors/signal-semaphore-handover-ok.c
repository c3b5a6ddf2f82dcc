// A handler may post a semaphore, and hands over what it wrote.
// NORACE
// RUN: %check %s

#include <semaphore.h>
#include <signal.h>

#include "order.h"

sem_t done;
int x;

static void on_signal(int number) {
  (void)number;
  x = 1;
  sem_post(&done);
}

static void is_interrupted(void) { raise(SIGUSR1); }

static void other(void) {
  sem_wait(&done);
  x++;
}

int main(void) {
  sem_init(&done, 0, 0);
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGUSR1, &action, NULL);
  run_two(is_interrupted, other);
  return x != 2;
}
