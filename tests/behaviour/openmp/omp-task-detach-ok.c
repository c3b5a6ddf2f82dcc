// A detached task is complete when its event is fulfilled, and what came before that is part of it.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

#include <omp.h>
#include <pthread.h>

int x, y;
omp_event_handle_t event;

static void* fulfil(void* argument) {
  (void)argument;
  x = 1;
  omp_fulfill_event(event);
  return NULL;
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    pthread_t thread;
#pragma omp task detach(event) depend(out : y)
    y = 1;
    pthread_create(&thread, NULL, fulfil, NULL);
#pragma omp taskwait
    x += y;
    pthread_join(thread, NULL);
  }
}
