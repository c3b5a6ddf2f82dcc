// Thesis, figure 10.1 with a mistake: the lock is taken before DATA is ready.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

pthread_mutex_t MU = PTHREAD_MUTEX_INITIALIZER;
int DATA = 0;

static void function_1(void) {
  pthread_mutex_lock(&MU);
  DATA = 1;  // RACE: observed DATA
}

static void function_2(void) {
  while (pthread_mutex_trylock(&MU) == 0) pthread_mutex_unlock(&MU);
  DATA = 2;  // RACE: observed DATA
}

int main(void) { meet(function_2, function_1); }
