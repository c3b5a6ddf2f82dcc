// What comes before a region is ordered before it, and what comes after it after.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include <omp.h>

int x, parts[4];

int main(void) {
  for (int round = 0; round < 3; ++round) {
    x = 1;
#pragma omp parallel num_threads(4)
    parts[omp_get_thread_num()] += x;
    x = parts[0] + parts[1] + parts[2] + parts[3];
  }
}
