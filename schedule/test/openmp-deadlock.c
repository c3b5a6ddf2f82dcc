// A thread waits at OpenMP's barrier with a lock that another one needs to get there: a deadlock, said at once. Where all
// get there, and where workers are parked between two regions or have tasks to do, there is none.
// RUN: %norn-cc -O1 -fopenmp %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: not %norn confirm --explore --strategy=random --runs=10 --timeout=60 -- %t lock | FileCheck %s
// RUN: not %norn confirm --explore --strategy=random --runs=10 --timeout=60 -- %t critical | FileCheck %s
// RUN: %norn confirm --explore --strategy=random --runs=10 --timeout=60 -- %t fine
// CHECK: something went wrong in 10 of 10 runs
// CHECK-NEXT: deadlock in 10 of them: {{[23]}} threads
// CHECK: waits for a barrier; holds {{.*}}
// CHECK: waits for a lock

#include <omp.h>
#include <string.h>

static omp_lock_t lock;
static int sum;

static void hold_over_barrier(void) {
#pragma omp parallel num_threads(2)
  {
    omp_set_lock(&lock);
#pragma omp barrier
    omp_unset_lock(&lock);
  }
}

static void meet(void) {
#pragma omp barrier
}

static void hold_critical(void) {
#pragma omp parallel num_threads(3)
  {
#pragma omp critical
    meet();
  }
}

static void work(void) {
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel num_threads(2 + round)
    {
      omp_set_lock(&lock);
      ++sum;
      omp_unset_lock(&lock);
#pragma omp barrier
#pragma omp single
      for (int i = 0; i < 4; ++i) {
#pragma omp task
        {
          omp_set_lock(&lock);
          ++sum;
          omp_unset_lock(&lock);
        }
      }
    }
  }
}

int main(int count, char** words) {
  (void)count;
  omp_init_lock(&lock);
  if (strcmp(words[1], "lock") == 0) hold_over_barrier();
  if (strcmp(words[1], "critical") == 0) hold_critical();
  if (strcmp(words[1], "fine") == 0) work();
  omp_destroy_lock(&lock);
  return 0;
}
