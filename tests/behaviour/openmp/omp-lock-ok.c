// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include <omp.h>

omp_lock_t lock;
omp_nest_lock_t nest;
int x, y;

static void add(void) {
  omp_set_nest_lock(&nest);
  ++y;
  omp_unset_nest_lock(&nest);
}

int main(void) {
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; ++i) {
    if (i % 2 == 0) {
      omp_set_lock(&lock);
    } else {
      while (!omp_test_lock(&lock)) {
      }
    }
    ++x;
    omp_unset_lock(&lock);
    if (i % 2 == 0) {
      omp_set_nest_lock(&nest);
    } else {
      while (!omp_test_nest_lock(&nest)) {
      }
    }
    add();
    ++y;
    omp_unset_nest_lock(&nest);
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}
