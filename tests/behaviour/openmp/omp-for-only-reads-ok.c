// Iterations that only read, and write what is their thread's own: also when they are told as one.
// RUN: %check %s
// FLAGS: -fopenmp
// NORACE
#include <stdio.h>

double weights[1000];

static double part(double x) {
  double parts[2] = {x * x, 1};
  return 1 / (parts[0] + parts[1]);
}

int main(void) {
  double sum = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp for
    for (int i = 0; i < 1000; i++) weights[i] = i;
#pragma omp for reduction(+ : sum) nowait
    for (int i = 0; i < 1000; i++) sum += part(weights[999 - i]);
#pragma omp for schedule(dynamic, 7) reduction(+ : sum)
    for (int i = 0; i < 1000; i++) sum += part(weights[i]);
#pragma omp for
    for (int i = 0; i < 1000; i++) weights[i] += sum;
  }
  return weights[5] < 0;
}
