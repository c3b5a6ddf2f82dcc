// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include <omp.h>

int got[2];

int main(void) {
  int value = 0;
#pragma omp parallel num_threads(2) private(value)
  for (int round = 0; round < 3; ++round) {
#pragma omp single copyprivate(value)
    value = 7 + round;
    got[omp_get_thread_num()] += value;
  }
}
