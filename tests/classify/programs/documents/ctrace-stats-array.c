// After ctrace (Portend, figure 15), on the path without the hash table: the index is checked, and read again for the
// access; the request handler, which holds a lock that the other does not take, may have gone beyond the array.
#include "threads.h"

enum { kMaxSize = 4 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int id = kMaxSize - 1;
static int* statistics;

static void* request_handler(void* unused) {
  later();
  pthread_mutex_lock(&mutex);
  // RACE bump check: spec-violated memory-error: the check may be passed right before the index grows beyond the array
  // RACE bump index: spec-violated memory-error: the index that is used is not the one that was checked
  id = id + 1;  // @bump
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* update_statistics(void* unused) {
  if (id < kMaxSize) {  // @check
    sched_yield();
    statistics[id] = 1;  // @index
  }
  return unused;
}

int main(void) {
  statistics = calloc(kMaxSize, sizeof(int));
  run_both(request_handler, update_statistics);
  free(statistics);
  printf("done\n");
}
