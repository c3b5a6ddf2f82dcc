// When an entry was used last is only noted: nothing is ever evicted here.
#include "threads.h"

struct Entry {
  volatile int last_used;
  int value;
};
static struct Entry entry = {0, 12};
static int sum[2];

static void* one(void* unused) {
  // RACE one two: k-witness-harmless states=differ: nobody reads when it was used
  entry.last_used = 1;  // @one
  sum[0] = entry.value;
  return unused;
}

static void* other(void* unused) {
  entry.last_used = 2;  // @two
  sum[1] = entry.value;
  return unused;
}

int main(void) {
  run_both(one, other);
  printf("%d\n", sum[0] + sum[1]);
}
