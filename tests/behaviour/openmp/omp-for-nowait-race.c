// Without the barrier the second loop may read what the first has not written.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int a[16], b[16];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for nowait
    for (int i = 0; i < 16; ++i) a[i] = i;  // RACE: observed a[
#pragma omp for
    for (int i = 0; i < 16; ++i) b[i] = a[15 - i];  // RACE: observed a[
  }
}
