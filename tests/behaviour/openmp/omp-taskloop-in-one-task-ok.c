// A taskloop whose iterations are all in one task, or in tasks that are run at once.
// NORACE
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int a[64], sum;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskloop num_tasks(1)
    for (int i = 0; i < 60; ++i) a[i + 1] = a[i];
#pragma omp taskloop if (0)
    for (int i = 0; i < 60; ++i) a[i + 1] = a[i];
#pragma omp taskloop reduction(+ : sum)
    for (int i = 0; i < 60; ++i) sum += a[i];
  }
  return sum;
}
