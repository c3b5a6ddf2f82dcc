// A pipeline of tasks: each stage says what it reads and what it writes, and a task that reads waits for the one that
// wrote (OpenMP 5.0, 2.17.11).
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

enum { kBlocks = 4 };
int raw[kBlocks], cooked[kBlocks], served[kBlocks];

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < kBlocks; i++) {
#pragma omp task depend(out : raw[i])
    raw[i] = i + 1;
#pragma omp task depend(in : raw[i]) depend(out : cooked[i])
    cooked[i] = 2 * raw[i];
#pragma omp task depend(in : cooked[i])
    served[i] = cooked[i];
  }
  for (int i = 0; i < kBlocks; i++) sum += served[i];
  return sum != 20;
}
