// Who came back from a wait and gave the mutex up does not hold it: taking it again is no deadlock.
// RUN: %norn-cc %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: %norn confirm --explore --runs=60 -- %t

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, sum;
static void* waits(void* unused) {
  pthread_mutex_lock(&mutex);
  while (!ready) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  sum += 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}
int main(void) {
  pthread_t waiters[3];
  for (int i = 0; i < 3; i++) pthread_create(&waiters[i], 0, waits, 0);
  pthread_mutex_lock(&mutex);
  ready = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 3; i++) pthread_join(waiters[i], 0);
  return sum != 3;
}
