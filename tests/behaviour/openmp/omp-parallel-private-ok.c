// Each thread has its own copy of what is private; firstprivate takes the value from before the region.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

static void add(int* to, int value) { *to += value; }

int main(void) {
  int first = 1, own = 0, last = 0;
#pragma omp parallel num_threads(2) firstprivate(first) private(own)
  {
    own = 0;
    add(&own, first);
    add(&first, own);
#pragma omp for lastprivate(last)
    for (int i = 0; i < 4; ++i) add((last = i, &own), i);
  }
  return last - 3;
}
