// C11: the destructor of thread-specific storage runs before who joins the thread.
// NORACE
// RUN: %check %s

#include <threads.h>

tss_t key;
int x;

static void destroy(void* value) { *(int*)value += 1; }

static int uses(void* unused) {
  (void)unused;
  tss_set(key, &x);
  return 0;
}

int main(void) {
  tss_create(&key, destroy);
  for (int i = 0; i < 3; i++) {
    thrd_t thread;
    thrd_create(&thread, uses, NULL);
    thrd_join(thread, NULL);
  }
  return x != 3;
}
