// Two threads take two locks in different orders, one after the other in time.
#include "order.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void take_both(pthread_mutex_t* outer, pthread_mutex_t* inner) {
  pthread_mutex_lock(outer);
  pthread_mutex_lock(inner);
  pthread_mutex_unlock(inner);
  pthread_mutex_unlock(outer);
}

static void first(void) {
  take_both(&a, &b);
  end_turn();
}

static void second(void) {
  await_turn(1);
  take_both(&b, &a);
}

int main(void) { run_two(first, second); }
