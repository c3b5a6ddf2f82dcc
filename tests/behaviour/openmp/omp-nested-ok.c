// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include <omp.h>

int a[2][2], sums[2];

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    const int outer = omp_get_thread_num();
    int local = outer;
#pragma omp parallel num_threads(2) shared(local)
    {
      a[outer][omp_get_thread_num()] = local;
#pragma omp barrier
#pragma omp single
      local += a[outer][0] + a[outer][1];
    }
    sums[outer] = local;
  }
}
