// A histogram is made in a parallel loop, with a reduction of the array section: each thread counts in a copy of its
// own (OpenMP 5.0, 2.19.5).
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

enum { kBins = 4, kSamples = 64 };
int samples[kSamples];

int main(void) {
  int bins[kBins] = {0};  // a local one: of a global array clang 19 makes no copy, and the program races as compiled
  int sum = 0;
  for (int i = 0; i < kSamples; i++) samples[i] = 7 * i;
#pragma omp parallel for num_threads(2) schedule(static) reduction(+ : bins[ : kBins])
  for (int i = 0; i < kSamples; i++) {
    bins[samples[i] % kBins]++;
  }
  for (int i = 0; i < kBins; i++) sum += bins[i];
  return sum < 1;
}
