// A thread that polls under a lock, and never gives way, has the lock in its hands at every other step. When it is found
// to get nowhere it must not be at the same of the two each time, or who has something to say under that lock never
// gets it.
// RUN: %norn-cc -O1 %s -o %t
// RUN: NORN_OPTIONS=schedule=rr %t 0
// RUN: NORN_OPTIONS=schedule=rr %t 1
// RUN: NORN_OPTIONS=schedule=selected:seed=2 %t 0
// RUN: NORN_OPTIONS=schedule=selected:seed=2 %t 1

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int said;
static atomic_int steps;

static void* polls(void* unused) {
  for (int i = atomic_load(&steps); i > 0; --i) atomic_fetch_sub(&steps, 1);
  for (int done = 0; !done;) {
    pthread_mutex_lock(&mutex);
    done = said;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static void* says(void* unused) {
  pthread_mutex_lock(&mutex);
  said = 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(int count, char** words) {
  pthread_t a, b;
  if (count > 1) atomic_store(&steps, atoi(words[1]));
  pthread_create(&a, NULL, polls, NULL);
  pthread_create(&b, NULL, says, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
