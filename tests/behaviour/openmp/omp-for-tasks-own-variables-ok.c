// Tasks and regions that an iteration makes work on what is its thread's own; so do those of the next one.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include <stdlib.h>

int results[64];

static void add(int* to, int value) { *to += value; }

static __attribute__((noinline)) int in_a_call(int i) {
  int local = i;
#pragma omp task shared(local)
  add(&local, 1);
#pragma omp taskwait
  return local;
}

int main(void) {
#pragma omp parallel num_threads(2)
  {
    int* buffer = calloc(2, sizeof(int));
#pragma omp for
    for (int i = 0; i < 64; ++i) {
      int local = i;
      add(&local, buffer[1]);
      if (i % 4 == 0) continue;
#pragma omp task shared(local)
      {
        add(&local, 1);
        add(&buffer[0], local);
      }
#pragma omp taskwait
      add(&buffer[1], local);
      results[i] = local;
    }
    free(buffer);
  }
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < 64; ++i) {
    int local = i;
#pragma omp critical
    results[0] += i;
    add(&local, 1);
    if (i < 20) continue;
#pragma omp parallel num_threads(2)
#pragma omp single
    add(&local, 1);
    results[i] = local;
  }
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < 64; ++i) results[i] = in_a_call(i);
}
