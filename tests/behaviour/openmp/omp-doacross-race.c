// The source is told too early.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int a[32];

int main(void) {
#pragma omp parallel for ordered(1) num_threads(2)
  for (int i = 1; i < 32; ++i) {
#pragma omp ordered depend(sink : i - 1)
#pragma omp ordered depend(source)
    a[i] = a[i - 1] + 1;  // RACE: observed a[
  }
}
