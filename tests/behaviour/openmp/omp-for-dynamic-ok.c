// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int a[16], b[16], c[16];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 16; ++i) a[i] = i;
#pragma omp for schedule(guided)
    for (int i = 0; i < 16; ++i) b[i] = a[15 - i];
#pragma omp for schedule(runtime)
    for (int i = 0; i < 16; ++i) c[i] = b[15 - i];
  }
}
