// The creator goes on beside its task.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int x;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    x = 0;
#pragma omp task
    x = 1;   // RACE: observed x
    x += 2;  // RACE: observed x
  }
}
