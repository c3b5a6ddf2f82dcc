// A racy choice of the order in which two locks are taken.
#include "threads.h"

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static volatile int a_first;
static int count;

static void* one(void* unused) {
  // RACE choose ask: spec-violated deadlock: asked first, the two threads take the locks in opposite orders
  a_first = 1;  // @choose
  pthread_mutex_lock(&a);
  sched_yield();
  pthread_mutex_lock(&b);
  ++count;
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return unused;
}

static void* other(void* unused) {
  later();
  int straight = a_first;  // @ask
  pthread_mutex_lock(straight ? &a : &b);
  sched_yield();
  pthread_mutex_lock(straight ? &b : &a);
  ++count;
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
  return unused;
}

int main(void) {
  run_both(one, other);
  printf("%d\n", count);
}
