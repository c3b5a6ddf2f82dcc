// A barrier completes all tasks of the region.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include <omp.h>

int x, y[2];

int main(void) {
#pragma omp parallel num_threads(2)
  for (int round = 0; round < 4; ++round) {
#pragma omp single nowait
    {
#pragma omp task
      {
#pragma omp task
        ++x;
      }
    }
#pragma omp barrier
    y[omp_get_thread_num()] += x;
#pragma omp barrier
  }
  ++x;
}
