// Tasks run on a thread's stack one after the other; their variables are not the same, though they lie in one place.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

static void touch(int* values, int count) {
  for (int i = 0; i < count; ++i) values[i] = i;
}

static __attribute__((noinline)) void deep(int n) {
  int values[64];
  touch(values, 64);
  if (n > 0) deep(n - 1);
  touch(values, n);
}

int main(void) {
#pragma omp parallel num_threads(2)
  {
    for (int i = 0; i < 20; ++i) {
#pragma omp task
      deep(i % 5);
      if (i % 3 == 0) deep(3);
    }
    deep(6);
#pragma omp taskyield
    deep(2);
  }
}
