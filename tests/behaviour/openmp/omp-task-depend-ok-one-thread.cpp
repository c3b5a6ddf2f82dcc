// The first task has completed before the second is created: the dependence orders them all the same.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int x, y;

int main() {
#pragma omp parallel num_threads(1)
  {
#pragma omp task depend(out : x)
    x = 1;
#pragma omp task depend(in : x)
    y = x;
#pragma omp taskwait
    x = y;
  }
}
