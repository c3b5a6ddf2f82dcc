// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int counter;
#pragma omp threadprivate(counter)
int sums[2];

int main(void) {
  counter = 3;
#pragma omp parallel num_threads(2) copyin(counter)
  {
    ++counter;
#pragma omp for
    for (int i = 0; i < 8; ++i) counter += i;
#pragma omp critical
    sums[0] += counter;
  }
}
