// Tasks that run on one thread do so one after the other: what belongs to the thread's number is its own.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include <omp.h>

int sums[2];

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 50; ++i) {
#pragma omp task
    sums[omp_get_thread_num()] += i;
  }
}
