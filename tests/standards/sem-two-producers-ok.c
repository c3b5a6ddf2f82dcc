// Two producers and a consumer count free and used places by semaphores; the producers share the place of the next item
// under a mutex (POSIX.1-2017, XBD 4.12: sem_post, sem_wait and the mutex synchronize memory).
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <semaphore.h>

enum { kPlaces = 8, kItems = 4 };
sem_t free_places, used_places;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int next_place;
long produced[2];

static void* produces(void* count) {
  for (int i = 0; i < kItems; i++) {
    sem_wait(&free_places);
    pthread_mutex_lock(&mutex);
    next_place++;
    pthread_mutex_unlock(&mutex);
    ++*(long*)count;
    sem_post(&used_places);
  }
  return NULL;
}

static void* consumes(void* unused) {
  for (int i = 0; i < 2 * kItems; i++) sem_wait(&used_places);
  for (int i = 0; i < 2 * kItems; i++) sem_post(&free_places);
  return unused;
}

int main(void) {
  pthread_t first, second, consumer;
  sem_init(&free_places, 0, kPlaces);
  sem_init(&used_places, 0, 0);
  pthread_create(&first, NULL, produces, &produced[0]);
  pthread_create(&second, NULL, produces, &produced[1]);
  pthread_create(&consumer, NULL, consumes, NULL);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
  pthread_join(consumer, NULL);
  return produced[0] + produced[1] != 2 * kItems || next_place < 1;
}
