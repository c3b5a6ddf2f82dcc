// C11: all who pass call_once come after its initialiser.
// NORACE
// RUN: %check %s

#include <threads.h>

once_flag once = ONCE_FLAG_INIT;
int x;

static void initialise(void) { x = 7; }

static int reads(void* unused) {
  (void)unused;
  call_once(&once, initialise);
  return x;
}

int main(void) {
  thrd_t a, b;
  int from_a = 0, from_b = 0;
  thrd_create(&a, reads, NULL);
  thrd_create(&b, reads, NULL);
  thrd_join(a, &from_a);
  thrd_join(b, &from_b);
  return from_a + from_b != 14;
}
