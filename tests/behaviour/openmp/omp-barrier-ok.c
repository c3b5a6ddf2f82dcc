// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include <omp.h>

int parts[2], sums[2];

int main(void) {
#pragma omp parallel num_threads(2)
  for (int round = 0; round < 5; ++round) {
    const int me = omp_get_thread_num();
    parts[me] = me;
#pragma omp barrier
    sums[me] += parts[1 - me];
#pragma omp barrier
  }
}
