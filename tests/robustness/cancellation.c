// Threads cancelled in a system call, in a wait, in a lock-free loop and before they began.
// STDOUT: 4 cancelled
// RUN: %check %s

#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;
sem_t empty;
int x;

static void unlock(void* locked) { pthread_mutex_unlock((pthread_mutex_t*)locked); }

static void* in_call(void* unused) {
  x = 1;  // RACE: observed x
  end_turn();
  for (;;) pause();
  return unused;
}

static void* in_wait(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, &mutex);
  end_turn();
  for (;;) pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(1);
  return unused;
}

static void* in_semaphore(void* unused) {
  end_turn();
  sem_wait(&empty);
  return unused;
}

static void* in_loop(void* unused) {
  int old;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
  end_turn();
  for (volatile long i = 0;; i++) {
  }
  return unused;
}

int main(void) {
  void* (*bodies[4])(void*) = {in_call, in_wait, in_semaphore, in_loop};
  pthread_t threads[4];
  sem_init(&empty, 0, 0);
  for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, bodies[i], NULL);
  await_turn(4);
  x = 2;  // RACE: observed x
  int cancelled = 0;
  for (int i = 0; i < 4; i++) {
    void* value;
    pthread_cancel(threads[i]);
    pthread_join(threads[i], &value);
    cancelled += value == PTHREAD_CANCELED;
  }
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  printf("%d cancelled\n", cancelled);
}
