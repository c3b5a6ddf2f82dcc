// A histogram is made in a parallel loop, and the reduction was forgotten: the bins are shared (OpenMP 5.0, 2.19.1),
// and iterations of different threads count in the same ones with nothing that orders them (1.4.1).
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

enum { kBins = 4, kSamples = 64 };
int samples[kSamples];
int bins[kBins];

int main(void) {
  int sum = 0;
  for (int i = 0; i < kSamples; i++) samples[i] = 7 * i;
#pragma omp parallel for num_threads(2) schedule(static)
  for (int i = 0; i < kSamples; i++) {
    bins[samples[i] % kBins]++;  // RACE: observed bins
  }
  for (int i = 0; i < kBins; i++) sum += bins[i];
  return sum < 1;
}
