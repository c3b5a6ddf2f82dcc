// The same block, but the third has its address from who has it now, and it is nobody else's any more.
// NORACE
// RUN: %check %s

#include <malloc.h>
#include <semaphore.h>

#include "order.h"

enum { kSize = 2000 };
long* block;
long* volatile fresh;  // so that the compiler leaves the calls
sem_t filled;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
long* shelf;

static void* frees(void* none) {
  await_turn(2);
  free(block);
  end_turn();
  return none;
}

static void* gets(void* none) {
  await_turn(1);
  fresh = malloc(1);
  free(fresh);  // what the allocator needs for a thread it has from here on
  end_turn();
  await_turn(3);
  fresh = malloc(kSize);
  sem_post(&filled);
  long* other = malloc(kSize);
  pthread_mutex_lock(&mutex);
  shelf = other;
  pthread_mutex_unlock(&mutex);
  end_turn();
  return none;
}

static void* uses(void* none) {
  sem_wait(&filled);
  fresh[1] = 2;
  await_turn(4);
  pthread_mutex_lock(&mutex);
  long* other = shelf;
  pthread_mutex_unlock(&mutex);
  if (other != NULL) other[1] = 2;
  return none;
}

int main(void) {
  mallopt(M_ARENA_MAX, 1);
  sem_init(&filled, 0, 0);
  block = malloc(kSize);
  block[1] = 1;
  pthread_t threads[3];
  void* (*const functions[])(void*) = {frees, gets, uses};
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, functions[i], NULL);
  end_turn();
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
}
