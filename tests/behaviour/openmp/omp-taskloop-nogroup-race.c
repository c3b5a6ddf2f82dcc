// Without its group nobody waits for the tasks of a taskloop.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int a[64], b;

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskloop nogroup num_tasks(2)
    for (int i = 0; i < 64; ++i) a[i] = i;  // RACE: observed a[
    b = 2 * a[3];                           // RACE: observed a[
  }
}
