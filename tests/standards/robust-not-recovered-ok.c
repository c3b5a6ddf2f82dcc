// The owner of a robust mutex dies; the next owner makes it consistent before it unlocks, and from then on it protects
// as before (POSIX.1-2017, XSH pthread_mutex_consistent; XBD 4.12).
// NORACE
// RUN: %check %s

#include <errno.h>
#include <pthread.h>

pthread_mutex_t mutex;
long balance;

static void* dies(void* unused) {
  pthread_mutex_lock(&mutex);
  balance = 100;
  return unused;
}

static void* pays(void* unused) {
  int locked = pthread_mutex_lock(&mutex);
  balance++;
  if (locked == 0) pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_t first, second;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  pthread_create(&first, NULL, dies, NULL);
  pthread_join(first, NULL);
  if (pthread_mutex_lock(&mutex) != EOWNERDEAD) return 1;
  pthread_mutex_consistent(&mutex);
  pthread_mutex_unlock(&mutex);
  pthread_create(&first, NULL, pays, NULL);
  pthread_create(&second, NULL, pays, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return balance < 101;
}
