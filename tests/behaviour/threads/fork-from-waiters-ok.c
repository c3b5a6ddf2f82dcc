// A child of a fork makes the condition variable anew, at which threads waited that it does not have.
// NORACE
// RUN: %check %s

#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake, changed;
static int tasks, idle, ended;

static void* works(void* unused) {
  pthread_mutex_lock(&mutex);
  while (!ended) {
    ++idle;
    pthread_cond_signal(&changed);
    while (tasks == 0 && !ended) pthread_cond_wait(&wake, &mutex);
    --idle;
    if (tasks > 0) --tasks;
  }
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void pool(void (*while_idle)(void)) {
  enum { kThreads = 4 };
  pthread_t threads[kThreads];
  pthread_mutex_init(&mutex, NULL);
  pthread_cond_init(&wake, NULL);
  pthread_cond_init(&changed, NULL);
  tasks = idle = ended = 0;
  for (int i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, works, NULL);
  pthread_mutex_lock(&mutex);
  while (idle < kThreads) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  if (while_idle != NULL) while_idle();
  for (int i = 0; i < 20; i++) {
    pthread_mutex_lock(&mutex);
    ++tasks;
    pthread_cond_signal(&wake);
    pthread_mutex_unlock(&mutex);
  }
  pthread_mutex_lock(&mutex);
  while (tasks > 0 || idle < kThreads) pthread_cond_wait(&changed, &mutex);
  ended = 1;
  pthread_cond_broadcast(&wake);
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
}

static void forks(void) {
  const pid_t child = fork();
  if (child == 0) {
    pool(NULL);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) _exit(1);
}

int main(void) {
  pool(forks);
  return 0;
}
