// Threads that are cancelled while they wait under control: cleanup handlers run, with the mutex held.
// RUN: %norn-cc %s -o %t && %harmless
// RUN: %replays 2 %t

#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int cleaned;

static void clean(void* unused) {
  (void)unused;
  cleaned++;
  pthread_mutex_unlock(&mutex);
}

static void* waits(void* unused) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(clean, 0);
  for (;;) pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(0);
  return unused;
}

static void* sleeps(void* unused) {
  for (;;) sleep(1000000);
  return unused;
}

static void* takes(void* unused) {
  sem_wait(&semaphore);
  return unused;
}

int main(void) {
  pthread_t threads[3];
  void* (*routines[3])(void*) = {waits, sleeps, takes};
  sem_init(&semaphore, 0, 0);
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, routines[i], 0);
  for (int i = 0; i < 3; i++) {
    void* value = 0;
    assert(pthread_cancel(threads[i]) == 0);
    assert(pthread_join(threads[i], &value) == 0 && value == PTHREAD_CANCELED);
  }
  pthread_mutex_lock(&mutex);
  printf("%d\n", cleaned);
  return 0;
}
