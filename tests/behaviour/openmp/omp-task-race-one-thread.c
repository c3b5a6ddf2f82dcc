// One thread runs both tasks, one after the other; two threads need not.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int x;

int main(void) {
#pragma omp parallel num_threads(1)
  {
#pragma omp task
    x = 1;  // RACE: observed x
#pragma omp task
    x += 2;  // RACE: observed x
  }
}
