// Any two of many sections may run in parallel, and one thread runs them all.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int x, done[10];

static __attribute__((noinline)) void writes(void) {
  x = 1;  // RACE: observed x
}

static __attribute__((noinline)) int reads(void) {
  return x;  // RACE: observed x
}

int main(void) {
#pragma omp parallel sections num_threads(1)
  {
    done[0] = 1;
#pragma omp section
    writes();
#pragma omp section
    done[2] = 1;
#pragma omp section
    done[3] = 1;
#pragma omp section
    done[4] = 1;
#pragma omp section
    done[5] = 1;
#pragma omp section
    done[6] = 1;
#pragma omp section
    done[7] = 1;
#pragma omp section
    done[8] = reads();
#pragma omp section
    done[9] = 1;
  }
}
