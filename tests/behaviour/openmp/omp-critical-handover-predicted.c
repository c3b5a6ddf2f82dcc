// Only the accident of who came first orders the accesses.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// ENGINES: hb hybrid
// RUN: %check %s

#include <omp.h>

#include "order.h"

int x;

static void nothing(void) {
#pragma omp critical
  __asm__ volatile("");
}

int main(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    x = 1;  // RACE: predicted x
    nothing();
    end_turn();
  } else {
    await_turn(1);
    nothing();
    x = 2;  // RACE: predicted x
  }
}
