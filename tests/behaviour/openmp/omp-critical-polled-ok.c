// A flag that is set in a critical section and polled in another of the same name.
// NORACE
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// RUN: %check %s

#include <omp.h>

#include "order.h"

int flag, x;

int main(void) {
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    x = 1;
#pragma omp critical(a)
    flag = 1;
    end_turn();
  } else {
    int copy = 0;
    await_turn(1);
    while (!copy) {
#pragma omp critical(a)
      copy = flag;
    }
    x = 2;
  }
}
