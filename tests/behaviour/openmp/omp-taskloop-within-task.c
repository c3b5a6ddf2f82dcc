// Iterations that one task of a taskloop has run, one after the other: nothing says that they are of one task.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

#include <stddef.h>

int a, b, c, d, e, seen[4];

int main(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
  {
#pragma omp taskloop num_tasks(2)
    for (int i = 0; i < 64; ++i) {
      if (i == 3) a = 1;        // RACE: observed a
      if (i == 4) seen[0] = a;  // RACE: observed a
    }
#pragma omp taskloop
    for (size_t i = 0; i < 1000; ++i) {
      if (i == 20) seen[1] = b;  // RACE: observed b
      if (i == 21) b = 1;        // RACE: observed b
    }
#pragma omp taskloop collapse(2) firstprivate(d)
    for (int i = 0; i < 40; ++i) {
      for (unsigned j = 0; j < 40; ++j) {
        if (i == 4 && (j == 1 || j == 2)) c += d;  // RACE: observed c
      }
    }
#pragma omp taskloop simd num_tasks(2)
    for (int i = 0; i < 64; ++i) {
      if (i == 3 || i == 4) e += 1;  // RACE: observed e
    }
  }
}
