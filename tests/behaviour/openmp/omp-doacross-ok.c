// Each iteration waits for the one before.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int a[32], b[32];

int main(void) {
#pragma omp parallel for ordered(1) num_threads(2)
  for (int i = 1; i < 32; ++i) {
    b[i] = i;
#pragma omp ordered depend(sink : i - 1)
    a[i] = a[i - 1] + b[i];
#pragma omp ordered depend(source)
  }
}
