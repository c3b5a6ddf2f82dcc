// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int x, y;

static __attribute__((noinline)) void first(void) {
  x = 1;  // RACE: observed x
}

static __attribute__((noinline)) void second(void) {
  y = 2 * x;  // RACE: observed x
}

int main(void) {
#pragma omp parallel sections num_threads(1)
  {
#pragma omp section
    first();
#pragma omp section
    second();
  }
}
