// The destructor of thread-specific data writes the sum of all threads. Main reads it after it has joined them: a
// thread's destructors are called before it ends (POSIX.1-2017, XSH pthread_key_create, pthread_join).
// RUN: %check %s
// NORACE

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

pthread_key_t key;
sem_t done;
long sum_of_all;

static void add_up(void* own) {
  sum_of_all += *(long*)own;
  free(own);
}

static void* work(void* unused) {
  long* own = malloc(sizeof *own);
  (void)unused;
  if (own == NULL || pthread_setspecific(key, own) != 0) exit(1);
  *own = 0;
  for (int i = 0; i < 100; i++) *own += i;
  sem_post(&done);
  return NULL;
}

int main(void) {
  pthread_t thread;
  long seen;
  if (sem_init(&done, 0, 0) != 0 || pthread_key_create(&key, add_up) != 0) return 1;
  if (pthread_create(&thread, NULL, work, NULL) != 0) return 1;
  sem_wait(&done);
  pthread_join(thread, NULL);
  seen = sum_of_all;
  return seen != 4950 && seen != 0;
}
