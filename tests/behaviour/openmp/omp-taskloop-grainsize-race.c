// A grain leaves it open where a task ends, but not between the first iterations, nor between the last.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int a, b, together[2];

int main(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
  {
#pragma omp taskloop grainsize(8)
    for (int i = 0; i < 64; ++i) {
      if (i < 8) together[0] += i;
      if (i == 7) a = 1;   // RACE: observed a
      if (i == 8) a = 2;   // RACE: observed a
      if (i == 20) b = 1;  // RACE: observed b
      if (i == 21) b = 2;  // RACE: observed b
      if (i >= 56) together[1] += i;
    }
#pragma omp taskloop grainsize(8)
    for (int i = 0; i < 15; ++i) together[0] += i;
  }
}
