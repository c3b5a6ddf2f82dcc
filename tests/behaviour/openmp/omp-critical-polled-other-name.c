// A flag that is set in one critical section and polled in another of a different name: neither orders anything.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

#include <omp.h>

#include "order.h"

int flag, x;

int main(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    x = 1;  // RACE: observed x
#pragma omp critical(a)
    flag = 1;  // RACE: observed flag
    end_turn();
  } else {
    int copy = 0;
    await_turn(1);
    while (!copy) {
#pragma omp critical(b)
      copy = flag;  // RACE: observed flag
    }
    x = 2;  // RACE: observed x
  }
}
