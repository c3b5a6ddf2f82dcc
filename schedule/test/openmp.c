// Workers of OpenMP's runtime that sleep between two regions give their turn away; nobody has to take it from them.
// RUN: %norn-cc -fopenmp %s -o %t && %norn confirm --explore --runs=4 --timeout=60 -- %t | FileCheck %s
// CHECK: nothing seen in 4 runs
// CHECK-NOT: its turn was taken away

int main(void) {
  long sum = 0;
  for (int threads = 1; threads <= 8; threads *= 2) {
#pragma omp parallel for reduction(+ : sum) num_threads(threads)
    for (int i = 0; i < 32; ++i) sum += i;
  }
  return sum != 4 * 496;
}
