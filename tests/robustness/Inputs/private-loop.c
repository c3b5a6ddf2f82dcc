// What the loop works on is private to each thread: a reduction.
#include <stdio.h>
#include <stdlib.h>

int main(int count, char** words) {
  long n = count > 1 ? atol(words[1]) : 1;
  double sum = 0, width = 1.0 / (double)n;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
  for (long i = 0; i < n; i++) {
    double x = ((double)i + .5) * width;
    sum += 1 / (x * x + 1);
  }
  printf("%f\n", sum * 4 * width);
}
