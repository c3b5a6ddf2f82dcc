// What was created before the group is not waited for.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int x, y;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task
    x = 1;  // RACE: observed x
#pragma omp taskgroup
    {
#pragma omp task
      y = 1;
    }
    y += x;  // RACE: observed x
  }
}
