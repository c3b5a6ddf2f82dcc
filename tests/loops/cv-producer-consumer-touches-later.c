// Condition variables: the producer touches an item after it has handed it over.
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int* slot;
int item;

static void producer(void) {
  pthread_mutex_lock(&mutex);
  slot = &item;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  item = 5;  // RACE: observed item
}

static void consumer(void) {
  pthread_mutex_lock(&mutex);
  while (slot == 0) pthread_cond_wait(&changed, &mutex);
  int* mine = slot;
  pthread_mutex_unlock(&mutex);
  *mine = 6;  // RACE: observed item
}

int main(void) { meet(consumer, producer); }
