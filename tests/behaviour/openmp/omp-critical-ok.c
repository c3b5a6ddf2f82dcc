// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// ENGINES: hb hybrid
// NORACE
// RUN: %check %s

int x, y;

int main(void) {
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; ++i) {
#pragma omp critical
    ++x;
#pragma omp critical(other) hint(1)
    ++y;
  }
}
