// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int x, y, flag;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;  // RACE: observed x
#pragma omp task depend(in : flag)
    y = 2 * x;  // RACE: observed x
  }
}
