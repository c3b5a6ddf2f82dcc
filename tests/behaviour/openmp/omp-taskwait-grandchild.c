// taskwait waits for the children, not for theirs.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int x, y;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task
      x = 1;  // RACE: observed x
    }
#pragma omp taskwait
    y = 2 * x;  // RACE: observed x
  }
}
