// Joining one thread says nothing of another.
// RUN: %check %s

#include "order.h"

int x;

static void* writes(void* unused) {
  x = 1;  // RACE: observed x
  end_turn();
  return unused;
}

static void* idles(void* unused) { return unused; }

int main(void) {
  pthread_t writer, idler;
  pthread_create(&writer, NULL, writes, NULL);
  pthread_create(&idler, NULL, idles, NULL);
  pthread_join(idler, NULL);
  await_turn(1);
  x = 2;  // RACE: observed x
  pthread_join(writer, NULL);
}
