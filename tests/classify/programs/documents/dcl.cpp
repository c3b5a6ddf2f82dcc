// The micro-benchmark DCL, double checked locking (Portend, §6.3.1): the criterion is tested before the lock is taken.
#include "threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ready;
static int value;
static int seen[2];

static void make() {
  // RACE check set: k-witness-harmless states=same: who looks too early looks again under the lock
  if (ready) return;  // @check
  pthread_mutex_lock(&mutex);
  if (!ready) {
    // RACE make use: single-ordering: who has not seen `ready` waits for the lock, which the maker still holds
    value = 42;  // @make
    ready = 1;   // @set
  }
  pthread_mutex_unlock(&mutex);
}

static void use(int self) {
  make();
  seen[self] = value;  // @use
}

static void* one(void*) {
  use(0);
  return nullptr;
}

static void* other(void*) {
  later();
  use(1);
  return nullptr;
}

int main() {
  run_both(one, other);
  printf("%d %d\n", seen[0], seen[1]);
}
