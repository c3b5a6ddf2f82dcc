// Two names are two locks.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

#include <omp.h>

int x;

int main(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
#pragma omp critical(one)
    ++x;  // RACE: observed x
  } else {
#pragma omp critical(two)
    ++x;  // RACE: observed x
  }
}
