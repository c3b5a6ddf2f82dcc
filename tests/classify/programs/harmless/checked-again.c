// A look without the lock saves taking it; who looks too early looks again under it.
#include "threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int pending;
static int handled;

static void* requests(void* unused) {
  pthread_mutex_lock(&mutex);
  // RACE request look: k-witness-harmless: whoever looks too early leaves it to main, which handles it all the same
  pending = 1;  // @request
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* handles(void* unused) {
  if (pending) {  // @look
    pthread_mutex_lock(&mutex);
    if (pending) {
      pending = 0;
      ++handled;
    }
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  run_both(requests, handles);
  handles(0);
  printf("handled %d\n", handled);
}
