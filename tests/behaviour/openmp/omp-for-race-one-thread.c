// One thread runs all iterations, one after the other; two threads would not.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int sum, a[16], b[16];

int main(void) {
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < 16; ++i) {
    sum += i;  // RACE: observed sum
    if (i > 0) {
      a[i] = a[i - 1] + 1;  // RACE: observed a[
    }
    b[i] = i;
  }
}
