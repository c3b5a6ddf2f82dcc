// The main thread's first step after it has created the other one is to count: no choice between threads was made
// before it stands there.
#include "threads.h"

static int counted;

static void* counts(void* unused) {
  for (int i = 0; i < 3; ++i) {
    // RACE other own: output-differs output: one of the two is lost, with what the other thread counts afterwards
    counted++;  // @other
  }
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, counts, NULL);
  counted++;  // @own
  pthread_join(thread, NULL);
  printf("%d\n", counted);
}
