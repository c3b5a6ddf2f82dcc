// A result that both threads may compute and keep: it is the same.
#include "threads.h"

static volatile int memo;
static int results[2];

static int square(void) {
  // RACE ask keep: k-witness-harmless states=same: who finds nothing computes the same
  int known = memo;  // @ask
  if (known != 0) return known;
  // RACE keep keep: k-witness-harmless states=same: the same value is written twice
  memo = 49;  // @keep
  return 49;
}

static void* one(void* unused) {
  results[0] = square();
  return unused;
}

static void* other(void* unused) {
  results[1] = square();
  return unused;
}

int main(void) {
  run_both(one, other);
  printf("%d %d\n", results[0], results[1]);
}
