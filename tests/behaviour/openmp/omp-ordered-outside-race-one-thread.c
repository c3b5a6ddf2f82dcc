// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int sum, last;

int main(void) {
#pragma omp parallel for ordered num_threads(1)
  for (int i = 0; i < 8; ++i) {
    const int seen = last;  // RACE: observed last
#pragma omp ordered
    {
      sum += seen;
      last = i;  // RACE: observed last
    }
  }
}
