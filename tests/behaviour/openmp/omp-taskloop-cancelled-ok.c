// A taskloop that is given up: what comes after its group comes after its iterations.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include <stdlib.h>
#include <unistd.h>

int a[64], sum;

int main(int count, char** arguments) {
  (void)count;
  if (getenv("OMP_CANCELLATION") == NULL) {  // it is read once, when the program starts
    setenv("OMP_CANCELLATION", "true", 1);
    execv("/proc/self/exe", arguments);
  }
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskloop num_tasks(4)
    for (int i = 0; i < 64; ++i) {
      a[i] = i;
      if (i == 20) {
#pragma omp cancel taskgroup
      }
    }
    for (int i = 0; i < 64; ++i) sum += a[i];
  }
}
