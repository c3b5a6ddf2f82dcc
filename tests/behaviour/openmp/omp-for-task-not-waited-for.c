// The task of one iteration is still at work when its thread goes on.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

static int shared_by_tasks;

int main(void) {
#pragma omp parallel for num_threads(1)
  for (int i = 0; i < 4; ++i) {
#pragma omp task
    shared_by_tasks += 1;  // RACE: observed shared_by_tasks
  }
}
