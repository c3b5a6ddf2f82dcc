// Two iterations out of many share a variable, whatever lies between them, and one thread runs them all.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int a, b, c, d, seen[4];

int main(void) {
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < 700; ++i) {
    if (i == 1) a = 1;         // RACE: observed a
    if (i == 8) seen[0] = a;   // RACE: observed a
    if (i == 10) seen[1] = b;  // RACE: observed b
    if (i == 73) b = 1;        // RACE: observed b
    if (i == 100) c = 1;       // RACE: observed c
    if (i == 101) c = 2;       // RACE: observed c
    if (i == 50) seen[3] = d;  // RACE: observed d
    if (i == 699) d = 1;       // RACE: observed d
  }
}
