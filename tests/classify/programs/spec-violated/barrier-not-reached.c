// A thread that takes itself for superfluous does not come to the barrier where the other one waits.
#include "threads.h"

static pthread_barrier_t barrier;
static volatile int partners;

static void* comes(void* unused) {
  // RACE join ask: spec-violated deadlock|hang: asked first, the partner stays away, and the other waits for ever
  partners = 1;  // @join
  pthread_barrier_wait(&barrier);
  return unused;
}

static void* asks(void* unused) {
  later();
  int is_needed = partners;  // @ask
  if (is_needed) pthread_barrier_wait(&barrier);
  return unused;
}

int main(void) {
  pthread_barrier_init(&barrier, 0, 2);
  run_both(comes, asks);
  printf("met\n");
}
