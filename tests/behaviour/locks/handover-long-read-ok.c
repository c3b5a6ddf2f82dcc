// One read of sixteen bytes: of the first half, which was written before the lock was taken, and of the second, which
// was written under it and says that the first is there.
// NORACE
// UNORDERED: race box.both: the reader may come first, and the first half is then not handed over
// RUN: %check %s

#include "order.h"

typedef long Pair __attribute__((vector_size(16)));

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
union {
  Pair both;
  long part[2];
} box;
Pair seen;

static void writes(void) {
  box.part[0] = 1;
  pthread_mutex_lock(&mutex);
  box.part[1] = 1;
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void reads(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  seen = box.both;
  pthread_mutex_unlock(&mutex);
}

int main(void) { run_two(writes, reads); }
