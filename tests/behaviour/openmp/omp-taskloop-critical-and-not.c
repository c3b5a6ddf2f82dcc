// Iterations of one task that take turns by a lock, and what they do beside it.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int a, b;

int main(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp taskloop num_tasks(2)
  for (int i = 0; i < 64; ++i) {
    if (i == 5) b = 1;  // RACE: predicted b
#pragma omp critical
    a += i;
    if (i == 6) b = 2;  // RACE: predicted b
  }
}
