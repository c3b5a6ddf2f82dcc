// After memcached (Portend, figure 28 c and table 6): a timer sets the time that all others read without a lock, and
// what the statistics print depends on it.
#include "threads.h"

static volatile int current_time = 100;
static volatile int connections;

static void* timer(void* unused) {
  // RACE tick stats: output-differs output: the time that is printed is the old or the new one
  current_time = 101;  // @tick
  return unused;
}

static void* worker(void* unused) {
  // RACE connect count: output-differs output: the number that is printed is the old or the new one
  connections = 1;  // @connect
  return unused;
}

static void* statistics(void* unused) {
  later();
  int now = current_time;   // @stats
  int count = connections;  // @count
  printf("STAT time %d connections %d\n", now, count);
  return unused;
}

int main(void) { run_three(timer, worker, statistics); }
