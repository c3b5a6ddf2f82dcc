// A task that is run at once works on its iteration's own variables.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int results[64];

static void set(int* to, int value) { *to = value; }

int main(void) {
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < 64; ++i) {
    int local;
#pragma omp task if (0) shared(local)
    set(&local, i);
    results[i] = local;
  }
}
