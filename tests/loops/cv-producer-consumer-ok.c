// Condition variables: a bounded buffer with one for "not full" and one for "not empty"; what the items point to is
// handed over with them.
// NORACE
// RUN: %check %s

#include <stdlib.h>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
pthread_cond_t room = PTHREAD_COND_INITIALIZER;
enum { kSlots = 2, kItems = 8 };
int* slots[kSlots];
int first, count;
int sum;

static void put(int* item) {
  pthread_mutex_lock(&mutex);
  while (count == kSlots) pthread_cond_wait(&room, &mutex);
  slots[(first + count) % kSlots] = item;
  count++;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
}

static int* take(void) {
  pthread_mutex_lock(&mutex);
  while (count == 0) pthread_cond_wait(&changed, &mutex);
  int* item = slots[first];
  first = (first + 1) % kSlots;
  count--;
  pthread_cond_signal(&room);
  pthread_mutex_unlock(&mutex);
  return item;
}

static void producer(void) {
  for (int i = 0; i < kItems; ++i) {
    int* item = malloc(sizeof(int));
    *item = i;
    put(item);
  }
}

static void consumer(void) {
  for (int i = 0; i < kItems; ++i) {
    int* item = take();
    sum += *item;
    free(item);
  }
}

int main(void) {
  run_two(producer, consumer);
  return sum - 28;
}
