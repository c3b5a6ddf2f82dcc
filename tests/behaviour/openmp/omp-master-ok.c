// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int x, y[2];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    x = 1;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < 2; ++i) y[i] = x;
#pragma omp masked
    x = 2;
  }
}
