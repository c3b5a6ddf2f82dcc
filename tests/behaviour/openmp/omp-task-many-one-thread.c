// Two tasks of many share a variable, and one thread runs them all.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int x, seen, done[1000];

int main(void) {
#pragma omp parallel num_threads(1)
#pragma omp single
  for (int i = 0; i < 1000; ++i) {
#pragma omp task firstprivate(i)
    {
      if (i == 1) x = 1;       // RACE: observed x
      if (i == 801) seen = x;  // RACE: observed x
      done[i] = 1;
    }
  }
}
