// Who executed the single region goes on; it might have been another.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int x, y;

int main(void) {
#pragma omp parallel num_threads(1)
  {
#pragma omp single nowait
    x = 1;      // RACE: observed x
    y = 2 * x;  // RACE: observed x
  }
}
