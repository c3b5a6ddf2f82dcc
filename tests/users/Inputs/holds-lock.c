// One side holds a lock that it took in a function of its own.
#include "order.h"

pthread_mutex_t audit_mutex = PTHREAD_MUTEX_INITIALIZER;
int x;

static __attribute__((noinline)) void take(void) { pthread_mutex_lock(&audit_mutex); }

static void locked(void) {
  take();
  x = 1;
  pthread_mutex_unlock(&audit_mutex);
  end_turn();
}

static void unlocked(void) {
  await_turn(1);
  x = 2;
}

int main(void) { run_two(locked, unlocked); }
