// A named semaphore is posted before what it announces is written.
// RUN: %check %s

#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

sem_t* filled;
int x;

static void produces(void) {
  sem_post(filled);
  x = 1;  // RACE: observed x
  end_turn();
}

static void consumes(void) {
  sem_wait(filled);
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) {
  char name[64];
  snprintf(name, sizeof name, "/norn-test-early-%d", (int)getpid());
  filled = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  if (filled == SEM_FAILED) return 1;
  run_two(produces, consumes);
  sem_close(filled);
  sem_unlink(name);
}
