// Line 3: tasks, worksharing, a reduction. ThreadSanitizer reports dozens of races in this program, which has none.
// RUN: %check %s
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
#include <stdio.h>

// STDOUT: 499500 332833500 55

static int fibonacci(int n) {
  if (n < 2) return n;
  int a = 0, b = 0;
#pragma omp task shared(a)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  static long numbers[1000], squares[1000];
  long sum = 0, sum_of_squares = 0;
  int answer = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp for
    for (int i = 0; i < 1000; ++i) numbers[i] = i;
#pragma omp for schedule(dynamic, 10)
    for (int i = 0; i < 1000; ++i) squares[999 - i] = numbers[i] * numbers[i];
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 1000; ++i) sum += numbers[i];
#pragma omp for
    for (int i = 0; i < 1000; ++i) {
#pragma omp critical
      sum_of_squares += squares[i];
    }
#pragma omp single
    answer = fibonacci(10);
  }
  printf("%ld %ld %d\n", sum, sum_of_squares, answer);
}
