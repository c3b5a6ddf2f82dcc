// A nested monitor: who waits for an item gives back the inner lock, not the outer one that the bringer needs.
// BUG: kind=deadlock preemptions=0 threads=2 shows=hang finding=none
// RUN: %show %s
#include "bug.h"

static pthread_mutex_t shop = PTHREAD_MUTEX_INITIALIZER, shelf = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items;

static void* bring(void* unused) {
  step(1);
  pthread_mutex_lock(&shop);
  pthread_mutex_lock(&shelf);
  ++items;
  pthread_cond_signal(&filled);
  pthread_mutex_unlock(&shelf);
  pthread_mutex_unlock(&shop);
  return unused;
}

static void* take(void* unused) {
  pthread_mutex_lock(&shop);
  step(0);
  pthread_mutex_lock(&shelf);
  while (items == 0) pthread_cond_wait(&filled, &shelf);
  --items;
  pthread_mutex_unlock(&shelf);
  pthread_mutex_unlock(&shop);
  return unused;
}

int main(void) { RUN(bring, take); }
