// Few threads add up by a lock or by atomics, many by a tree.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include <omp.h>

typedef struct {
  long low, high;
} Range;

#pragma omp declare reduction(widen:Range : omp_out.low = omp_out.low < omp_in.low ? omp_out.low : omp_in.low, \
                                  omp_out.high = omp_out.high > omp_in.high ? omp_out.high : omp_in.high)      \
    initializer(omp_priv = (Range){0, 0})

int main(void) {
  long sum = 0, product = 1, most = 0;
  long counts[4] = {0, 0, 0, 0};
  Range range = {0, 0};
  for (int threads = 1; threads <= 8; threads *= 2) {
#pragma omp parallel for reduction(+ : sum) num_threads(threads)
    for (int i = 0; i < 32; ++i) sum += i;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for reduction(+ : sum, counts) reduction(* : product) reduction(max : most) reduction(widen : range)
      for (int i = 0; i < 32; ++i) {
        sum += i;
        ++counts[i % 4];
        product *= 1;
        if (most < i) most = i;
        if (range.high < i) range.high = i;
      }
#pragma omp single
      sum += counts[0] + product + most + range.high;
    }
  }
  return sum == 0;
}
