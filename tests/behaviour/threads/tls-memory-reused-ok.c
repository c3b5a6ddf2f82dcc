// Thread-local storage given back by one thread and got by the next is not shared.
// NORACE
// RUN: %check %s

#include "order.h"

_Thread_local int mine[256];

static void* uses(void* unused) {
  for (int i = 0; i < 256; i++) mine[i]++;
  end_turn();
  return unused;
}

int main(void) {
  for (int i = 0; i < 8; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, uses, NULL);
    pthread_detach(thread);
    await_turn(i + 1);
  }
}
