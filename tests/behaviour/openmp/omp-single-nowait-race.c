// Nobody waits for who executes the single region.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

#include <omp.h>

int x, y[2];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp single nowait
    x = 1;                            // RACE: observed x
    y[omp_get_thread_num()] = 2 * x;  // RACE: observed x
  }
}
