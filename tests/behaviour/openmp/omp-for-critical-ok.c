// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// ENGINES: hb hybrid
// NORACE
// RUN: %check %s

int sum, most;

int main(void) {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 200; ++i) {
#pragma omp critical
    {
      sum += i;
      if (most < i) most = i;
    }
  }
}
