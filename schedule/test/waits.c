// Everything that waits, waits without the turn: conditions, semaphores, barriers, joins, once.
// RUN: %norn-cc %s -o %t && %harmless
// RUN: %replays 2 %t

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { kThreads = 4 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
static int tokens, made, serial;

static struct timespec soon(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_nsec += 20000000;
  if (time.tv_nsec >= 1000000000) {
    time.tv_nsec -= 1000000000;
    time.tv_sec++;
  }
  return time;
}

static void make(void) {
  sched_yield();
  usleep(1000);
  made++;
}

static void* works(void* unused) {
  pthread_once(&once, make);
  assert(made == 1);
  pthread_mutex_lock(&mutex);
  while (tokens == 0) pthread_cond_wait(&condition, &mutex);
  tokens--;
  pthread_mutex_unlock(&mutex);
  usleep(2000);
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
    pthread_mutex_lock(&mutex);
    serial++;
    pthread_mutex_unlock(&mutex);
  }
  sem_post(&semaphore);
  return unused;
}

int main(void) {
  pthread_t threads[kThreads];
  pthread_barrier_init(&barrier, 0, kThreads);
  sem_init(&semaphore, 0, 0);
  for (int i = 0; i < kThreads; i++) pthread_create(&threads[i], 0, works, 0);
  for (int i = 0; i < kThreads; i++) {
    pthread_mutex_lock(&mutex);
    tokens++;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
  }
  for (int i = 0; i < kThreads; i++) sem_wait(&semaphore);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], 0);
  const struct timespec until = soon();
  pthread_mutex_lock(&mutex);
  assert(pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT);
  pthread_mutex_unlock(&mutex);
  assert(sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT);
  assert(serial == 1);
  printf("done\n");
  return 0;
}
