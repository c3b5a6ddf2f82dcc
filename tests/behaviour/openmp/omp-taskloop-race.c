// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int last;

int main(void) {
#pragma omp parallel num_threads(1)
#pragma omp taskloop num_tasks(4)
  for (int i = 0; i < 64; ++i) last = i;  // RACE: observed last
}
