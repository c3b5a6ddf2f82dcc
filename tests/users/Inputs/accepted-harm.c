// Locks in both orders, or a race with a failure that only norn's own schedules have, whoever races.
#include <string.h>

#include "order.h"

int x;
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void lock_both(pthread_mutex_t* outer, pthread_mutex_t* inner) {
  pthread_mutex_lock(outer);
  pthread_mutex_lock(inner);
  pthread_mutex_unlock(inner);
  pthread_mutex_unlock(outer);
}

static void forward(void) {
  lock_both(&a, &b);
  end_turn();
}

static void backward(void) {
  await_turn(1);
  lock_both(&b, &a);
}

static void* race(void* argument) {
  x = 1;
  return argument;
}

int main(int count, char** arguments) {
  if (count > 1 && strcmp(arguments[1], "locks") == 0) {
    run_two(forward, backward);
    return 0;
  }
  pthread_t one, two;
  pthread_create(&one, NULL, race, NULL);
  pthread_create(&two, NULL, race, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  const char* options = getenv("NORN_OPTIONS");
  if (options != NULL && strstr(options, "schedule=") != NULL) abort();
}
