// A critical region in each iteration orders what it holds, not what stands before it.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int sum, x, seen;

int main(void) {
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < 20; ++i) {
    if (i == 1) x = 1;  // RACE: predicted x
#pragma omp critical
    sum += i;
    if (i == 8) seen = x;  // RACE: predicted x
  }
}
