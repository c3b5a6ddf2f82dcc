// What stands before the ordered region is not ordered after the iterations before.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int sum, last;

int main(void) {
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
  for (int i = 0; i < 8; ++i) {
    const int seen = last;  // RACE: observed last
#pragma omp ordered
    {
      sum += seen;
      last = i;  // RACE: observed last
    }
  }
}
