// Two semaphores of one unit each, used as locks and taken in opposite orders.
// BUG: kind=semaphore-order preemptions=1 threads=2 shows=hang finding=none
// FOUND-BY: random pos
// RUN: %show %s
// RUN: %found %s
#include <semaphore.h>

#include "bug.h"

static sem_t scanner, printer;

static void use(sem_t* first, sem_t* second, int self) {
  sem_wait(first);
  step(self);
  after_step(2);
  sem_wait(second);
  sem_post(second);
  sem_post(first);
}

static void* copy(void* unused) {
  use(&scanner, &printer, 0);
  return unused;
}

static void* fax(void* unused) {
  use(&printer, &scanner, 1);
  return unused;
}

int main(void) {
  sem_init(&scanner, 0, 1);
  sem_init(&printer, 0, 1);
  RUN(copy, fax);
}
