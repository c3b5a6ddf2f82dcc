// Threads with the least stack there can be, most of it in use: norn's own frames have room beside the program's.
// STDOUT: 4 threads
// RUN: %check %s
// RUN: %norn-cc -O1 %s -o %t && %norn run --engine=msm-short --fail-on=none -- %t | FileCheck %s
// RUN: %norn run --engine=msm-long --fail-on=none -- %t | FileCheck %s
// CHECK: 4 threads

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int ended;
int x;

static void* runs(void* number) {
  volatile char used[8192];
  memset((char*)used, 1, sizeof used);
  if (number == NULL) {
    x = 1;  // RACE: observed x
    end_turn();
  } else if ((size_t)number == 3) {
    await_turn(1);
    x = 2;  // RACE: observed x
  }
  pthread_mutex_lock(&mutex);
  ended += used[sizeof used / 2];
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 16384);
  pthread_t threads[4];
  for (size_t i = 0; i < 4; ++i) pthread_create(&threads[i], &attributes, runs, (void*)i);
  for (size_t i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  printf("%d threads\n", ended);
}
