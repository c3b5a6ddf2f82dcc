// The iterations only read, and so cannot race with each other: they count as one. With what another thread writes
// beside the loop each of them races.
// RUN: %check %s
// FLAGS: -fopenmp
#include <stdio.h>

double weight = 1;

int main(void) {
  double sum = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp single nowait
    weight = 2;                     // RACE: observed weight
#pragma omp for reduction(+ : sum)  // MAYBE: weight
    for (int i = 0; i < 1000; i++) {
      double x = (i + 0.5) * weight;  // MAYBE: weight
      sum += 1 / (x * x + 1);
    }
  }
  return sum < 0;
}
