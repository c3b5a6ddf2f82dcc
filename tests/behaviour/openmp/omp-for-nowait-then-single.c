// Nobody waits for the loop, and anyone may execute the single region: whoever does it in this run.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int a[64], error;

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp for nowait
    for (int i = 0; i < 64; ++i) a[i] = i;  // RACE: observed a[
#pragma omp single
    error = a[9] + 1;  // RACE: observed a[
  }
}
