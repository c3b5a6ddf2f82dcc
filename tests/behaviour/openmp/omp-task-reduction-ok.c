// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

int main(void) {
  int sum = 0, total = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    {
      for (int i = 0; i < 20; ++i) {
#pragma omp task in_reduction(+ : sum)
        sum += i;
      }
    }
    total = sum;
#pragma omp taskloop reduction(+ : total) num_tasks(5)
    for (int i = 0; i < 20; ++i) total += i;
  }
  return total != 380;
}
