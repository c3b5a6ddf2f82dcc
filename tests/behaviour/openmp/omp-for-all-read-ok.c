// What all iterations read, and what each has alone, over and over.
// NORACE
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

enum { kCount = 1000 };
int limit = 7, a[kCount], total;

int main(void) {
#pragma omp parallel num_threads(2)
  for (int round = 0; round < 3; ++round) {
#pragma omp for
    for (int i = 0; i < kCount; ++i) {
      int own = limit;
      for (int k = 0; k < limit; ++k) own += k;
      a[i] += own;
    }
#pragma omp for schedule(dynamic) reduction(+ : total)
    for (int i = 0; i < kCount; ++i) total += a[i] + limit;
#pragma omp single
    limit += 1;
  }
}
