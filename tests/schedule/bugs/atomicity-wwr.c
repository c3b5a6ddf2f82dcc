// A thread sets the error number and reads it back under a second lock: another thread's may stand there.
// BUG: kind=atomicity-wwr preemptions=1 threads=2 shows=assertion finding=atomicity:last_error
// FOUND-BY: random race-directed pct pos
// CONFIRMED: 0.4 (who goes first is a coin's, and one order does harm)
// RUN: %show %s
// RUN: %found %s
#include "bug.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long last_error;

static void fail_with(long error) {
  pthread_mutex_lock(&mutex);
  last_error = error;
  pthread_mutex_unlock(&mutex);
}

static long error_of_last_call(void) {
  pthread_mutex_lock(&mutex);
  long error = last_error;
  pthread_mutex_unlock(&mutex);
  return error;
}

static void* call(void* self) {
  long error = 100 + (long)self;
  if (self != NULL) step(1);
  fail_with(error);
  if (self == NULL) step(0), step(3);
  if (self != NULL) step(2);
  assert(error_of_last_call() == error);
  return NULL;
}

int main(void) { RUN(call, call); }
