// Two threads draw numbers by erand48 with one state, which the caller provides and the function changes (POSIX.1-2017,
// XSH drand48). Nothing orders the calls (XBD 4.12).
// RUN: %check %s

#include <pthread.h>
#include <stdlib.h>

static unsigned short state[3] = {1, 2, 3};
static double sums[2];

static void* draws(void* argument) {
  int self = *(int*)argument;
  for (int i = 0; i < 10; i++) sums[self] += erand48(state);  // RACE: observed state
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int selves[2] = {0, 1};
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, draws, &selves[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return sums[0] < 0 || sums[0] > 10 || sums[1] < 0 || sums[1] > 10;
}
