// One thread fills blocks, another frees them (ordered by a pipe of semaphores), a third gets them again.
// NORACE
// RUN: %check %s

#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"

enum { kBlocks = 32, kSize = 100 };
char* blocks[kBlocks];
sem_t filled;

static void fills(void) {
  for (int i = 0; i < kBlocks; i++) {
    blocks[i] = malloc(kSize);
    memset(blocks[i], 1, kSize);
  }
  sem_post(&filled);
}

static void frees_and_gets(void) {
  sem_wait(&filled);
  for (int i = 0; i < kBlocks; i++) free(blocks[i]);
  end_turn();
}

int main(void) {
  sem_init(&filled, 0, 0);
  pthread_t a, b;
  pthread_create(&a, NULL, norn_test_call, (void*)fills);
  pthread_create(&b, NULL, norn_test_call, (void*)frees_and_gets);
  await_turn(1);
  for (int i = 0; i < kBlocks; i++) {
    char* block = malloc(kSize);
    memset(block, 2, kSize);
    free(block);
  }
  pthread_join(a, NULL);
  pthread_join(b, NULL);
}
