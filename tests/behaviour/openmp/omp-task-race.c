// Two tasks that nothing orders, whichever threads run them.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int x;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    x = 1;  // RACE: observed x
#pragma omp task
    x += 2;  // RACE: observed x
  }
}
