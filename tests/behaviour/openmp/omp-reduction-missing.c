// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int sum;

int main(void) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 32; ++i) sum += i;  // RACE: observed sum
}
