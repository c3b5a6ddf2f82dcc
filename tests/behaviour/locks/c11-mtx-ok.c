// C11: a mutex, and a timed one, held by both sides.
// NORACE
// RUN: %check %s

#include <threads.h>
#include <time.h>

mtx_t mutex;
int x;

static int adds(void* unused) {
  (void)unused;
  for (int i = 0; i < 100; i++) {
    if (i % 3 == 0) {
      mtx_lock(&mutex);
    } else if (i % 3 == 1) {
      struct timespec deadline;
      timespec_get(&deadline, TIME_UTC);
      deadline.tv_sec += 60;
      if (mtx_timedlock(&mutex, &deadline) != thrd_success) continue;
    } else {
      while (mtx_trylock(&mutex) != thrd_success) thrd_yield();
    }
    x++;
    mtx_unlock(&mutex);
  }
  return 0;
}

int main(void) {
  thrd_t a, b;
  mtx_init(&mutex, mtx_timed);
  thrd_create(&a, adds, NULL);
  thrd_create(&b, adds, NULL);
  thrd_join(a, NULL);
  thrd_join(b, NULL);
  mtx_destroy(&mutex);
  return x != 200;
}
