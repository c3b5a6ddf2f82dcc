// What a thread has for itself it has in a single region, too: its stack, its heap memory, what its number names.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include <omp.h>
#include <stdlib.h>

int slots[2], sum, total;

int main(void) {
#pragma omp parallel num_threads(2)
  {
    int own = 1;
    int* block = malloc(sizeof *block);
    *block = 2;
#pragma omp single
    {
      ++own;
      ++*block;
      sum = own + *block;
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 4; ++i) {
#pragma omp atomic
      total += own;
    }
    slots[omp_get_thread_num()] = own;
#pragma omp single
    slots[omp_get_thread_num()] += sum;
    free(block);
  }
  return total < 4;
}
