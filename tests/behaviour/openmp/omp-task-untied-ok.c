// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int a[8], sum;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 8; ++i) {
#pragma omp task untied priority(i) firstprivate(i)
      {
        a[i] = i;
#pragma omp taskyield
#pragma omp task firstprivate(i)
        a[i] += i;
#pragma omp taskwait
        a[i] *= 2;
      }
    }
#pragma omp taskwait
    for (int i = 0; i < 8; ++i) sum += a[i];
  }
}
