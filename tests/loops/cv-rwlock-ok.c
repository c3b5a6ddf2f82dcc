// Condition variable: a hand-made reader/writer lock.
// NORACE
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int readers, writing;
int x;
int seen[2];

static void read_lock(void) {
  pthread_mutex_lock(&mutex);
  while (writing) pthread_cond_wait(&changed, &mutex);
  readers++;
  pthread_mutex_unlock(&mutex);
}

static void read_unlock(void) {
  pthread_mutex_lock(&mutex);
  if (--readers == 0) pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

static void write_lock(void) {
  pthread_mutex_lock(&mutex);
  while (writing || readers > 0) pthread_cond_wait(&changed, &mutex);
  writing = 1;
  pthread_mutex_unlock(&mutex);
}

static void write_unlock(void) {
  pthread_mutex_lock(&mutex);
  writing = 0;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

static void reads(int me) {
  for (int i = 0; i < 4; ++i) {
    read_lock();
    seen[me] += x;
    read_unlock();
  }
}

static void first(void) { reads(0); }
static void second(void) { reads(1); }

static void writes(void) {
  for (int i = 0; i < 4; ++i) {
    write_lock();
    x++;
    write_unlock();
  }
}

int main(void) {
  const Body bodies[] = {first, second, writes};
  run_many(bodies, 3);
}
