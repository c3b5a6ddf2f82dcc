// Blocks of changing sizes in the same memory, each of one thread at a time, freed by whoever has them: nothing that
// was done in a block's earlier life counts, whatever sizes the two had.
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { kRounds = 400, kPlaces = 8 };
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
char* places[kPlaces];

static void* exchange(void* argument) {
  unsigned random = *(unsigned*)argument;
  for (int i = 0; i < kRounds; i++) {
    random = random * 1103515245 + 12345;
    const size_t size = 1 + (random >> 16) % 700;
    char* mine = malloc(size);
    memset(mine, 1, size);
    pthread_mutex_lock(&lock);
    char* old = places[random % kPlaces];
    places[random % kPlaces] = mine;
    pthread_mutex_unlock(&lock);
    free(old);
  }
  return NULL;
}

int main(void) {
  unsigned seeds[] = {1, 2, 3};
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, exchange, &seeds[i]);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < kPlaces; i++) free(places[i]);
}
