// The same of sections and of a dynamic loop, though one thread does it all.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int a[8], b[8], c, d[8];

int main(void) {
#pragma omp parallel num_threads(1)
  {
#pragma omp for nowait
    for (int i = 0; i < 8; ++i) a[i] = i;  // RACE: observed a[
#pragma omp sections
    {
#pragma omp section
      c = a[3];  // RACE: observed a[
#pragma omp section
      d[0] = 1;
    }
#pragma omp for nowait
    for (int i = 0; i < 8; ++i) b[i] = i;  // RACE: observed b[
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 8; ++i) d[i] = b[i];  // RACE: observed b[
  }
}
