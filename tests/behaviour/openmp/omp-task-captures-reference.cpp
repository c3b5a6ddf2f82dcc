// The creator's variable is shared, and changed while the task runs.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

int sum;

int main() {
#pragma omp parallel num_threads(1)
  for (int i = 0; i < 2; ++i) {
    int value = i;
#pragma omp task shared(value)
    sum = value;  // RACE: observed value
    value = 7;    // RACE: observed value
#pragma omp taskwait
  }
}
