// Of many readers the first one races with the writer; the later ones are joined.
// RUN: %check %s

#include "order.h"

int x;
int sums[8];

static void* reads(void* slot) {
  *(int*)slot = x;
  return NULL;
}

static void* reads_unjoined(void* slot) {
  *(int*)slot = x;  // RACE: observed x
  end_turn();
  return NULL;
}

int main(void) {
  pthread_t unjoined;
  pthread_create(&unjoined, NULL, reads_unjoined, &sums[0]);
  await_turn(1);
  for (int i = 1; i < 8; i++) {
    pthread_t reader;
    pthread_create(&reader, NULL, reads, &sums[i]);
    pthread_join(reader, NULL);
  }
  x = 1;  // RACE: observed x
  pthread_join(unjoined, NULL);
}
