// A team works under the locks of the thread that encountered its region.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int a[4];

static void with_a_team(void) {
  pthread_mutex_lock(&mutex);
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 4; ++i) ++a[i];
  pthread_mutex_unlock(&mutex);
}

static void alone(void) {
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < 4; ++i) ++a[i];
  pthread_mutex_unlock(&mutex);
}

int main(void) { run_two(with_a_team, alone); }
