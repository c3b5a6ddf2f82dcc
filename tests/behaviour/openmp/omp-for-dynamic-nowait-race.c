// After a dynamic loop without a barrier a thread cannot know that its iterations were its own.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int a[8], b;

int main(void) {
#pragma omp parallel num_threads(1)
  {
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 8; ++i) a[i] = i;  // RACE: observed a[
    b = 2 * a[3];                          // RACE: observed a[
  }
}
