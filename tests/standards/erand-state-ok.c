// Two threads draw numbers by erand48, each with a state of its own, which is all that the function keeps
// (POSIX.1-2017, XSH drand48: "the calling program shall provide storage for the successive X values").
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <stdlib.h>

static unsigned short states[2][3] = {{1, 2, 3}, {4, 5, 6}};
static double sums[2];

static void* draws(void* argument) {
  int self = *(int*)argument;
  for (int i = 0; i < 10; i++) sums[self] += erand48(states[self]);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int selves[2] = {0, 1};
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, draws, &selves[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return sums[0] < 0 || sums[0] > 10 || sums[1] < 0 || sums[1] > 10;
}
