// Two static loops of one region with as many iterations give each iteration to the same thread: no barrier is needed.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int a[16], b[16];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 16; ++i) a[i] = i;
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 16; ++i) b[i] = a[i];
  }
}
