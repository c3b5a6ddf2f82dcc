// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

#include <omp.h>

omp_lock_t lock;
int x;

int main(void) {
  omp_init_lock_with_hint(&lock, omp_sync_hint_uncontended);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    omp_set_lock(&lock);
    ++x;  // RACE: observed x
    omp_unset_lock(&lock);
  } else {
    ++x;  // RACE: observed x
  }
  omp_destroy_lock(&lock);
}
