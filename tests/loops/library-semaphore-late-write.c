// Library: the data is written after the post.
// ARRIVAL: both
// RUN: %check %s

#include <semaphore.h>

#include "arrival.h"

sem_t semaphore;
int x;

static void gives(void) {
  sem_post(&semaphore);
  x = 1;  // RACE: observed x
}

static void takes(void) {
  sem_wait(&semaphore);
  x = 2;  // RACE: observed x
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  meet(takes, gives);
}
