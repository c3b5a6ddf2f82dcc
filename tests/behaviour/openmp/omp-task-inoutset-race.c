// The tasks of an inoutset may run together.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int x, y;

int main(void) {
#pragma omp parallel num_threads(1)
  {
#pragma omp task depend(out : x)
    x = 1;
#pragma omp task depend(inoutset : x)
    y = x;  // RACE: observed y
#pragma omp task depend(inoutset : x)
    y += x;  // RACE: observed y
#pragma omp task depend(in : x)
    x = y;
  }
}
