// After memcached (Portend, table 6: 16 of its races have a single ordering): the dispatcher waits in a loop until each
// worker has set itself up.
#include "threads.h"

enum { kWorkers = 2 };
struct Worker {
  volatile int up;
  int descriptor;
  int base;
  pthread_t thread;
};
static struct Worker workers[kWorkers];
static volatile int start_dispatch;
static int dispatched_to;

static void* work(void* argument) {
  struct Worker* self = argument;
  // RACE descriptor use: single-ordering: the dispatcher's loop is left when the worker is up
  self->descriptor = 5;  // @descriptor
  // RACE base based: single-ordering: the dispatcher's loop is left when the worker is up
  self->base = 7;  // @base
  // RACE up wait: single-ordering: the loop waits for this very write
  self->up = 1;              // @up
  while (!start_dispatch) {  // @start
    usleep(50);
  }
  volatile int to = dispatched_to;  // @to
  (void)to;
  return 0;
}

int main(void) {
  for (int i = 0; i < kWorkers; ++i) pthread_create(&workers[i].thread, 0, work, &workers[i]);
  int sum = 0;
  for (int i = 0; i < kWorkers; ++i) {
    while (!workers[i].up) {  // @wait
      usleep(50);
    }
    sum += workers[i].descriptor;  // @use
    sum += workers[i].base;        // @based
  }
  // RACE dispatch to: single-ordering: the workers read it behind the loop that waits for start_dispatch
  dispatched_to = 2;  // @dispatch
  // RACE go start: single-ordering: the loop waits for this very write
  start_dispatch = 1;  // @go
  for (int i = 0; i < kWorkers; ++i) pthread_join(workers[i].thread, 0);
  printf("%d\n", sum);
}
