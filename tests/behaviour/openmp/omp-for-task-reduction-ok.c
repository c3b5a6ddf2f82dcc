// Tasks of a loop take part in its reduction; after the loop's end all of it is there.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s --levels=-O0,-O2

int sum, copies[2];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for reduction(task, + : sum)
    for (int i = 0; i < 8; ++i) {
#pragma omp task in_reduction(+ : sum)
      sum += i;
    }
#pragma omp for
    for (int i = 0; i < 2; ++i) copies[i] = sum;
  }
  return copies[0] + copies[1] - 56;
}
