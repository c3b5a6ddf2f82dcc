// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int counter;
#pragma omp threadprivate(counter)

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 50; ++i) {
#pragma omp task
    counter += i;
  }
}
