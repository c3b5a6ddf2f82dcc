// The program says that these iterations stay together.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int a[16], b[16];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static, 4)
    for (int i = 0; i < 16; ++i) a[i / 4] += i;
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < 16; ++i) b[i / 2] += i;
  }
}
