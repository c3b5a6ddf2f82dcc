// Both threads count under the lock, and do what they do whatever the counts are: in another schedule they race. None
// of these ways to count tells anybody what the other has done.
// ENGINES: hb hybrid
// RUN: %check %s

#include "order.h"

struct Totals {
  int hits;
  long bytes;
  unsigned char flags;
  short small;
  double seconds;
  int buckets[4];
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct Totals totals;
static struct Totals* volatile object = &totals;
static int hits;
static long limit = 1;
int x;

__attribute__((noinline)) static void bump(void) { ++hits; }

static void count(long bytes) {
  struct Totals* mine = object;
  pthread_mutex_lock(&mutex);
  bump();
  totals.hits++;
  mine->bytes += bytes;
  mine->flags |= 4;
  mine->small -= 2;
  mine->seconds += 0.5;
  mine->buckets[bytes & 3]++;
  if (limit < bytes) mine->hits += 2;
  pthread_mutex_unlock(&mutex);
}

static void first(void) {
  x = 1;  // RACE: predicted x
  count(1);
  end_turn();
}

static void second(void) {
  await_turn(1);
  count(5);
  x = 2;  // RACE: predicted x
}

int main(void) { run_two(first, second); }
