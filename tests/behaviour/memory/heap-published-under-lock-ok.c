// Blocks are filled by who allocated them and handed over under a lock. That only the lock orders the two is no
// accident: nobody can have the address before. Small and large ones, from every function of the allocator.
// NORACE
// UNORDERED: crash: the blocks may not be there yet
// RUN: %check %s

#include <malloc.h>
#include <string.h>

#include "order.h"

enum { kSmall = 24, kMiddle = 3000, kLarge = 1 << 20, kBlocks = 8 };

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
char* published[kBlocks];
int sizes[kBlocks];

static void publish(int which, char* block, int size) {
  memset(block, which, (size_t)size);
  block[size / 2] = 'm';
  pthread_mutex_lock(&mutex);
  published[which] = block;
  sizes[which] = size;
  pthread_mutex_unlock(&mutex);
}

static void first(void) {
  void* aligned = NULL;
  publish(0, malloc(kSmall), kSmall);
  publish(1, malloc(kMiddle), kMiddle);
  publish(2, malloc(kLarge), kLarge);
  publish(3, calloc(3, kSmall), 3 * kSmall);
  publish(4, memalign(256, kMiddle), kMiddle);
  if (posix_memalign(&aligned, 64, kSmall) == 0) publish(5, aligned, kSmall);
  publish(6, aligned_alloc(64, 640), 640);
  char* grown = malloc(kSmall);
  char* beside = malloc(kSmall);  // so that the first cannot grow where it is
  publish(7, realloc(grown, kMiddle), kMiddle);
  free(beside);
  end_turn();
}

static void second(void) {
  await_turn(1);
  for (int i = 0; i < kBlocks; ++i) {
    pthread_mutex_lock(&mutex);
    char* block = published[i];
    const int size = sizes[i];
    pthread_mutex_unlock(&mutex);
    if (block[0] == i && block[size / 2] == 'm') ++block[size - 1];
    free(block);
  }
}

int main(void) { run_two(first, second); }
