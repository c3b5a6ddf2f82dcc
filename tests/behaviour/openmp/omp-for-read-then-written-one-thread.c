// All iterations read a variable, and the last one writes it, too: not before its own read, but beside the others'.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int x, seen[20];

int main(void) {
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < 20; ++i) {
    seen[i] = x;          // RACE: observed x
    if (i == 19) x += 1;  // RACE: observed x
  }
}
