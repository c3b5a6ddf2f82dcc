// Ordered regions of a loop follow each other.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int sum, before, a[8];

int main(void) {
#pragma omp parallel for ordered num_threads(2)
  for (int i = 0; i < 8; ++i) {
    a[i] = i;
#pragma omp ordered
    {
      sum += before;
      before = a[i];
    }
  }
#pragma omp parallel for ordered schedule(dynamic) num_threads(2)
  for (int i = 0; i < 8; ++i) {
#pragma omp ordered
    sum += a[i];
  }
}
