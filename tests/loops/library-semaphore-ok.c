// Library: a semaphore hands over data.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include <semaphore.h>

#include "arrival.h"

sem_t semaphore;
int x;

static void gives(void) {
  x = 1;
  sem_post(&semaphore);
}

static void takes(void) {
  sem_wait(&semaphore);
  x = 2;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  meet(takes, gives);
}
