// Whether somebody waits is asked without a lock: who asks too early does not post.
#include <semaphore.h>

#include "threads.h"

static sem_t semaphore;
static volatile int waiting;

static void* waits(void* unused) {
  // RACE say ask: spec-violated deadlock|hang: asked first, nobody posts, and the wait never ends
  waiting = 1;  // @say
  sem_wait(&semaphore);
  return unused;
}

static void* posts(void* unused) {
  later();
  if (waiting) sem_post(&semaphore);  // @ask
  return unused;
}

int main(void) {
  sem_init(&semaphore, 0, 0);
  run_both(waits, posts);
  printf("posted\n");
}
