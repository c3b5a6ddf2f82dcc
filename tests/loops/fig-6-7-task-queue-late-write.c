// Thesis, figure 6.7 with a mistake: the producer goes on with the task's data after it has signalled.
// RUN: %check %s --levels=-O0,-O2

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int tasks[4];
int head, tail;
int payload;

static void consumer(void) {
  pthread_mutex_lock(&mutex);
  end_turn();
  pthread_cond_wait(&changed, &mutex);
  tail++;
  pthread_mutex_unlock(&mutex);
  payload++;  // RACE: observed payload
}

static void producer(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  tasks[head++] = 3;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  payload = 10;  // RACE: observed payload
}

int main(void) { run_two(consumer, producer); }
