// A jump out of a function that a mutex guards, which is let go after the jump.
// NORACE
// RUN: %check %s

#include <setjmp.h>

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int x;

static __attribute__((noinline)) void adds_and_jumps(jmp_buf back) {
  pthread_mutex_lock(&mutex);
  x++;
  longjmp(back, 1);
}

static void works(void) {
  for (volatile int i = 0; i < 100; i++) {
    jmp_buf back;
    if (setjmp(back) == 0) adds_and_jumps(back);
    pthread_mutex_unlock(&mutex);
  }
}

int main(void) {
  run_two(works, works);
  return x != 200;
}
