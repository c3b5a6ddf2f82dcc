// One thread runs all tasks of a taskloop; two threads need not.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int a[64], x;

static __attribute__((noinline)) void copy(int i) {
  a[i + 1] = a[i];  // RACE: observed a[
}

static __attribute__((noinline)) void write(void) {
  x = 1;  // RACE: observed x
}

static __attribute__((noinline)) int read(void) {
  return x;  // RACE: observed x
}

int main(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
  {
#pragma omp taskloop
    for (int i = 0; i < 60; ++i) copy(i);
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < 64; ++i) {
      if (i == 1) write();
      if (i == 50 && read() == 2) write();
    }
  }
}
