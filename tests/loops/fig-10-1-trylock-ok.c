// Thesis, figure 10.1: the lock is taken and kept to say that DATA is ready; who waits tries it until that fails.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

pthread_mutex_t MU = PTHREAD_MUTEX_INITIALIZER;
int DATA = 0;

static void function_1(void) {
  DATA = 1;
  pthread_mutex_lock(&MU);
}

static void function_2(void) {
  while (pthread_mutex_trylock(&MU) == 0) pthread_mutex_unlock(&MU);
  DATA = 2;
}

int main(void) { meet(function_2, function_1); }
