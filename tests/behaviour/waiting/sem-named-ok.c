// A named semaphore, opened twice, is one semaphore.
// NORACE
// RUN: %check %s

#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

char name[64];
int x;

static void produces(void) {
  sem_t* filled = sem_open(name, 0);
  x = 1;
  sem_post(filled);
  sem_close(filled);
}

static void consumes(void) {
  sem_t* filled = sem_open(name, 0);
  sem_wait(filled);
  x++;
  sem_close(filled);
}

int main(void) {
  snprintf(name, sizeof name, "/norn-test-%d", (int)getpid());
  sem_t* filled = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  if (filled == SEM_FAILED) return 1;
  run_two(produces, consumes);
  sem_close(filled);
  sem_unlink(name);
  return x != 2;
}
