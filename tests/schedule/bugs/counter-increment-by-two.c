// A server's "incr" takes an item by one call, and puts the changed one back by another; each call is under the lock.
// After memcached issue 127, "incr and decr are not atomic with threads", in Yu and Narayanasamy (ISCA 2009).
// BUG: kind=atomicity-rww preemptions=1 threads=4 shows=status finding=none
// RUN: %show %s
#include "bug.h"

static pthread_mutex_t cache = PTHREAD_MUTEX_INITIALIZER;
static int items[2];

static int get(int key) {
  pthread_mutex_lock(&cache);
  const int value = items[key];
  pthread_mutex_unlock(&cache);
  return value;
}

static void put(int key, int value) {
  pthread_mutex_lock(&cache);
  items[key] = value;
  pthread_mutex_unlock(&cache);
}

static void* increment(void* number) {
  const int self = (int)(size_t)number, key = self % 2;
  if (self == 2) step(1);
  const int value = get(key);
  if (self == 0) step(0), step(3);
  put(key, value + 1);
  if (self == 2) step(2);
  return NULL;
}

int main(void) {
  RUN(increment, increment, increment, increment);
  return items[0] == 2 && items[1] == 2 ? 0 : 3;
}
