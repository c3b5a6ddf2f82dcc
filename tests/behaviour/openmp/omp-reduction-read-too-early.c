// nowait: the sum is not complete for who goes on.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

#include <omp.h>

int sum, copies[2];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for reduction(+ : sum) nowait  // RACE: observed sum
    for (int i = 0; i < 32; ++i) sum += i;
    copies[omp_get_thread_num()] = 2 * sum;  // RACE: observed sum
  }
}
