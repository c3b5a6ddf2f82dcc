// Who finds the loop or the region cancelled goes to its end, where all meet.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

int a[64], parts[2], sum;

int main(int argc, char** argv) {
  if (getenv("OMP_CANCELLATION") == NULL) {
    setenv("OMP_CANCELLATION", "true", 1);
    execv(argv[0], argv);
  }
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 64; ++i) {
    a[i] = i;
    if (i == 3 || i == 40) {
#pragma omp cancel for
    }
  }
  for (int i = 0; i < 64; ++i) sum += a[i];
#pragma omp parallel num_threads(2)
  {
    parts[omp_get_thread_num()] = 1;
#pragma omp cancel parallel
  }
  sum += parts[0] + parts[1];
  return argc - 1;
}
