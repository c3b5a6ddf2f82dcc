// A count of references that is no atomic: both threads may take themselves for the last one.
#include "threads.h"

struct Shared {
  volatile int references = 2;
  int payload = 7;
};
static Shared* shared;

static void drop() {
  // RACE drop delete: single-ordering: who deletes has read the zero that the other's write made
  // RACE drop drop: spec-violated memory-error: the count goes down for both before either looks at it
  shared->references = shared->references - 1;  // @drop
  sched_yield();
  // RACE last drop: spec-violated memory-error: both may read zero, and delete it twice
  // RACE last delete: spec-violated memory-error: it may be deleted before the other reads its count
  if (shared->references == 0) {  // @last
    delete shared;                // @delete
  }
}

static void* one(void*) {
  drop();
  return nullptr;
}

static void* other(void*) {
  later();
  drop();
  return nullptr;
}

int main() {
  shared = new Shared;
  run_both(one, other);
  printf("dropped\n");
}
