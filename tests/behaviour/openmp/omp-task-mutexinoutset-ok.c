// The tasks of the set exclude each other; who reads afterwards waits for all of them.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// ENGINES: hb hybrid
// NORACE
// RUN: %check %s

int x, y;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;
    for (int i = 0; i < 4; ++i) {
#pragma omp task depend(mutexinoutset : x)
      x += 2;
    }
#pragma omp task depend(in : x)
    y = x;
  }
}
