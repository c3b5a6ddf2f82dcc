// The destructor of thread-specific data writes the sum, and main reads it when the thread has said by a semaphore that
// its work is done. Destructors are called when the thread exits (POSIX.1-2017, XSH pthread_key_create), after that:
// sem_post orders only what came before it (XBD 4.12).
// RUN: %check %s

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

pthread_key_t key;
sem_t done;
long sum_of_all;

static void add_up(void* own) {
  sum_of_all += *(long*)own;  // RACE: observed sum_of_all
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
  seen = sum_of_all;  // RACE: observed sum_of_all
  pthread_join(thread, NULL);
  return seen != 4950 && seen != 0;
}
