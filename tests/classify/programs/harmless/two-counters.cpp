// Statistics of a cache that are kept and never told.
#include "threads.h"

struct Statistics {
  volatile long hits, misses;
  volatile int last_key;
};
static Statistics statistics;

static void* one(void*) {
  // RACE hit hit2: k-witness-harmless states=differ: never told
  statistics.hits = 1;  // @hit
  // RACE miss miss2: k-witness-harmless states=differ: never told
  statistics.misses = 2;  // @miss
  // RACE key key2: k-witness-harmless states=differ: never told
  statistics.last_key = 3;  // @key
  return nullptr;
}

static void* other(void*) {
  statistics.hits = 4;      // @hit2
  statistics.misses = 5;    // @miss2
  statistics.last_key = 6;  // @key2
  return nullptr;
}

int main() {
  run_both(one, other);
  puts("served");
}
