// Neighbours that the same thread runs, whatever the schedule: another number of threads would part them.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int a[32], b[32], c[32], d[32];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for
    for (long i = 4; i < 12; ++i) a[i / 2] = (int)i;  // RACE: observed a[
#pragma omp for schedule(guided)
    for (unsigned i = 31; i >= 1; --i) b[i] = b[i - 1];  // RACE: observed b[
#pragma omp for schedule(dynamic)
    for (int i = 1; i < 32; ++i) c[i] = c[i - 1];  // RACE: observed c[
#pragma omp for collapse(2) schedule(runtime)
    for (int i = 0; i < 4; ++i) {
      for (int j = 1; j < 8; ++j) d[i * 8 + j] = d[i * 8 + j - 1];  // RACE: observed d[
    }
  }
}
