// A reader that wants to write tries for the lock as a writer, which it cannot have while somebody reads, itself
// included (POSIX.1-2017, XSH pthread_rwlock_trywrlock). It does not look at the result, and writes: read locks exclude
// no other reader.
// RUN: %check %s

#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
pthread_barrier_t both_read;
int hits;

static void* visitor(void* unused) {
  (void)unused;
  pthread_rwlock_rdlock(&lock);
  pthread_barrier_wait(&both_read);
  (void)pthread_rwlock_trywrlock(&lock);
  hits++;  // RACE: observed hits
  pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t first, second;
  pthread_barrier_init(&both_read, NULL, 2);
  pthread_create(&first, NULL, visitor, NULL);
  pthread_create(&second, NULL, visitor, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  return hits < 1;
}
