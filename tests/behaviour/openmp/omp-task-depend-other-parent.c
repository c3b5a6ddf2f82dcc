// Dependences order the children of one task, not those of different ones.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int x;

int main(void) {
#pragma omp parallel num_threads(1)
  {
#pragma omp task
    {
#pragma omp task depend(inout : x)
      x = 1;  // RACE: observed x
    }
#pragma omp task
    {
#pragma omp task depend(inout : x)
      x += 2;  // RACE: observed x
    }
  }
}
