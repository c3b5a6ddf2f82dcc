// The inner teams have nothing to do with each other.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

#include <omp.h>

int x;

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
#pragma omp single
  x = 1;  // RACE: observed x
}
