// The thread that creates the others accesses nothing before it has synchronized again: from its first access on it is
// looked at all the same.
// RUN: %check %s

#include <semaphore.h>
#include <stdatomic.h>

#include "order.h"

sem_t arrived;
atomic_int left = 1;
int x;

static void* reads(void* unused) {
  if (atomic_fetch_sub(&left, 1) == 1) sem_post(&arrived);
  int seen = x;  // RACE: observed x
  end_turn();
  return (void*)(long)(seen != 0 && unused != NULL);
}

int main(void) {
  pthread_t reader;
  sem_init(&arrived, 0, 0);
  pthread_create(&reader, NULL, reads, NULL);
  sem_wait(&arrived);
  await_turn(1);
  x = 1;  // RACE: observed x
  pthread_join(reader, NULL);
  return 0;
}
