// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int x, y, z;

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp sections
    {
#pragma omp section
      x = 1;
#pragma omp section
      y = 1;
    }
#pragma omp single
    z = x + y;
  }
}
