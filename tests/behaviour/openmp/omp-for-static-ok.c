// A worksharing loop ends with a barrier.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int a[16], b[16];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (int i = 0; i < 16; ++i) a[i] = i;
#pragma omp for schedule(static, 3)
    for (int i = 0; i < 16; ++i) b[i] = a[15 - i];
  }
}
