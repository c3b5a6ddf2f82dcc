// The parts of a sum come in any order; only its sign is printed.
#include "threads.h"

static volatile int a = 3, b = 4;
static int sign;

static void* changes(void* unused) {
  // RACE a aread: k-witness-harmless states=differ: the sum is positive with the old and with the new number
  a = 5;  // @a
  // RACE b bread: k-witness-harmless states=differ: the sum is positive with the old and with the new number
  b = 6;  // @b
  return unused;
}

static void* adds(void* unused) {
  int sum = a;  // @aread
  sum += b;     // @bread
  sign = sum > 0;
  return unused;
}

int main(void) {
  run_both(changes, adds);
  printf("%d\n", sign);
}
