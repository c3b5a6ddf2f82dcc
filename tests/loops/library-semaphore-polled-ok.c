// Library: a semaphore that is tried until it can be taken.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include <sched.h>
#include <semaphore.h>

#include "arrival.h"

sem_t semaphore;
int x;

static void gives(void) {
  x = 1;
  sem_post(&semaphore);
}

static void takes(void) {
  while (sem_trywait(&semaphore) != 0) sched_yield();
  x = 2;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  meet(takes, gives);
}
