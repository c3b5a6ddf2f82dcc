// The race itself changes nothing that fails; only if the third thread comes between two steps after it does an
// assertion fail.
#include "threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int mode;
static int items = 1;

static void* chooses(void* unused) {
  // RACE choose ask: spec-violated assertion: asked first, the items are counted and taken in two steps
  mode = 1;  // @choose
  return unused;
}

static void* takes(void* unused) {
  later();
  int in_one_step = mode;  // @ask
  pthread_mutex_lock(&mutex);
  int count = items;
  if (!in_one_step) {
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
  }
  if (count > 0) {
    assert(items == count);
    items = count - 1;
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void* takes_too(void* unused) {
  later();
  pthread_mutex_lock(&mutex);
  if (items > 0) items = items - 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  run_three(chooses, takes, takes_too);
  printf("%d\n", items);
}
