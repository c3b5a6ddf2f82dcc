// A pipeline of tasks: the middle stage says what it reads and not what it writes. The last stage waits for cooked[i],
// which no task before it has as out (OpenMP 5.0, 2.17.11): the two tasks are siblings without a dependence, and
// nothing orders them before the end of the region (1.4.1).
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
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
#pragma omp task depend(in : raw[i])
    cooked[i] = 2 * raw[i];  // RACE: observed cooked
#pragma omp task depend(in : cooked[i])
    served[i] = cooked[i];  // RACE: observed cooked
  }
  for (int i = 0; i < kBlocks; i++) sum += served[i];
  return sum > 20;
}
