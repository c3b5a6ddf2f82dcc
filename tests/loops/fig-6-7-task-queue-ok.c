// Thesis, figure 6.7: idle consumers wait without any condition; a task is put only when one waits.
// NORACE
// UNORDERED: deadlock: the signal may come before the wait
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int tasks[4];
int head, tail;
int done[4];

static void consumer(void) {
  pthread_mutex_lock(&mutex);
  end_turn();
  pthread_cond_wait(&changed, &mutex);
  const int task = tasks[tail++];
  pthread_mutex_unlock(&mutex);
  done[task]++;
}

static void producer(void) {
  await_turn(1);
  done[3] = 10;
  pthread_mutex_lock(&mutex);
  tasks[head++] = 3;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

int main(void) { run_two(consumer, producer); }
