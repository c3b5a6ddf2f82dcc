// The reader does not wait for the writer's part.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

#include <omp.h>

int parts[2], sums[2];

int main(void) {
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
#pragma omp barrier
    parts[me] = me;            // RACE: observed parts
    sums[me] = parts[1 - me];  // RACE: observed parts
  }
}
