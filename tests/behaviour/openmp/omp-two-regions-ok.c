// The threads of a pool work for one region after the other; each region is ordered after what came before it.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int a[64], b[64];

int main(void) {
  for (int round = 0; round < 4; ++round) {
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 64; ++i) a[i] = b[63 - i] + 1;
#pragma omp parallel for num_threads(3)
    for (int i = 0; i < 64; ++i) b[i] = a[63 - i] + 1;
  }
}
