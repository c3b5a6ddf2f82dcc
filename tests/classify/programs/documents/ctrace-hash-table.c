// After ctrace (Portend, figure 15), on the path with the hash table, which takes any index: what is printed is of the
// request that was the latest.
#include "threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int id = 3;
static int table[16];

static void* request_handler(void* unused) {
  later();
  pthread_mutex_lock(&mutex);
  // RACE bump copy: output-differs output: the request that is counted is another one
  // RACE bump print: output-differs output: what is printed is of another request than what was counted
  id = id + 1;  // @bump
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* update_statistics(void* unused) {
  int latest = id;  // @copy
  table[latest % 16] = 7;
  sched_yield();
  printf("statistics: %d\n", table[id % 16]);  // @print
  return unused;
}

int main(void) { run_both(request_handler, update_statistics); }
