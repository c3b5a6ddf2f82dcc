// Outside of all parallel regions there is one thread, and a task is done at once.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// STDOUT: 3
// RUN: %check %s

#include <stdio.h>

static int x;

int main(void) {
#pragma omp task
  {
    x = 1;
#pragma omp task
    x += 2;
  }
  printf("%d\n", x);
}
