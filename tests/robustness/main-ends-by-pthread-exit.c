// main leaves first; the last thread ends the program.
// STDOUT: last
// RUN: %check %s

#include <stdio.h>

#include "order.h"

int x;

static void* first(void* unused) {
  x = 1;  // RACE: observed x
  end_turn();
  return unused;
}

static void* second(void* unused) {
  await_turn(1);
  x = 2;  // RACE: observed x
  puts("last");
  return unused;
}

int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, first, NULL);
  pthread_create(&b, NULL, second, NULL);
  pthread_detach(a);
  pthread_detach(b);
  pthread_exit(NULL);
}
