// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

#include <omp.h>

#include "order.h"

omp_nest_lock_t nest;
int x;

int main(void) {
  omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
    ++x;  // RACE: observed x
    end_turn();
  } else {
    await_turn(1);
    omp_set_nest_lock(&nest);
    ++x;  // RACE: observed x
    omp_unset_nest_lock(&nest);
  }
  omp_destroy_nest_lock(&nest);
}
