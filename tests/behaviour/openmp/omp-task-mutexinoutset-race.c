// Tasks that exclude each other by a dependence, and one that has none.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int sum, token;

int main(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
  {
    for (int i = 0; i < 4; ++i) {
#pragma omp task depend(mutexinoutset : token)
      sum += 1;  // RACE: observed sum
    }
#pragma omp task
    sum += 2;  // RACE: observed sum
  }
}
