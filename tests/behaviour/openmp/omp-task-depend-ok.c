// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int x, y, z, sum, last;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;
#pragma omp task depend(in : x) depend(out : y)
    y = x;
#pragma omp task depend(in : x) depend(out : z)
    z = x;
#pragma omp task depend(inout : x)
    ++x;
#pragma omp task depend(in : x, y, z)
    sum = x + y + z;
#pragma omp taskwait depend(in : x)
    last = x;
  }
}
