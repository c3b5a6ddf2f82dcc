// Nothing stands between two dynamic loops: the same iteration of both may run on two threads.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int a[20], b[20];

int main(void) {
#pragma omp parallel num_threads(1)
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 20; ++i) a[i] = i;  // RACE: observed a[
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 20; ++i) b[i] = a[i];  // RACE: observed a[
  }
}
