// C11: creation and join order; so does leaving by thrd_exit.
// NORACE
// RUN: %check %s

#include <threads.h>

int x;

static int adds(void* unused) {
  (void)unused;
  x++;
  thrd_exit(3);
}

int main(void) {
  thrd_t thread;
  int status = 0;
  x = 1;
  thrd_create(&thread, adds, NULL);
  thrd_join(thread, &status);
  x++;
  return x != 3 || status != 3;
}
