// All threads of a region write the same variable.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int x;

int main(void) {
#pragma omp parallel num_threads(2)
  x = 1;  // RACE: observed x
}
