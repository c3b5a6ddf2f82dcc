// A detached thread tells by a semaphore that it is done.
// NORACE
// RUN: %check %s

#include <semaphore.h>

#include "order.h"

sem_t done;
int x;

static void* writes(void* unused) {
  x = 1;
  sem_post(&done);
  return unused;
}

int main(void) {
  sem_init(&done, 0, 0);
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_t thread;
  pthread_create(&thread, &detached, writes, NULL);
  sem_wait(&done);
  x++;
  return x != 2;
}
