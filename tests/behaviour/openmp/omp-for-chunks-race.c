// The chunks are smaller than what shares a variable, and one thread runs them all.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int a[16];

int main(void) {
#pragma omp parallel for schedule(static, 2) num_threads(1)
  for (int i = 0; i < 16; ++i) a[i / 4] += i;  // RACE: observed a[
}
