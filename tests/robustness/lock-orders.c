// Two locks in different orders: found through what lies between them and over three threads, and where a lock that was
// held besides was given up before; not where one was held besides by both. By both front ends.
// RUN: %norn-cc -O1 %s -o %t
// RUN: for how in two three between given-up-before outer-given-up; do \
// RUN:   %norn run -- %t $how 2>&1 | grep 'lock order: ' || { echo "$how: not found"; exit 1; }; done
// RUN: for how in gate gate-given-up-after; do %norn run -- %t $how 2>&1 | not grep 'lock order: ' || exit 1; done
// RUN: gcc-12 -std=gnu11 -D_GNU_SOURCE -g -O1 -pthread -I%behaviour %s -o %t.plain
// RUN: for how in two three between given-up-before outer-given-up; do \
// RUN:   %norn run -- %t.plain $how 2>&1 | grep 'lock order: ' || { echo "valgrind: $how: not found"; exit 1; }; done
// RUN: for how in gate gate-given-up-after; do \
// RUN:   %norn run -- %t.plain $how 2>&1 | not grep 'lock order: ' || exit 1; done
// RUN: %norn run --hazards=none -- %t.plain two 2>&1 | not grep 'lock order: '
// RUN: %norn run -- %t.plain two 2>&1 | FileCheck %s
// CHECK: norn: lock order: {{[ab], [ab]}} are taken in different orders: possible deadlock
// CHECK: holds {{[ab]}} (taken at lock-orders.c:{{[0-9]+}}) and takes {{[ab]}}

#include <string.h>

#include "order.h"

pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER,
                gate = PTHREAD_MUTEX_INITIALIZER;
const char* how;

static int is(const char* word) { return strcmp(how, word) == 0; }
static void take(pthread_mutex_t* mutex) { pthread_mutex_lock(mutex); }
static void give(pthread_mutex_t* mutex) { pthread_mutex_unlock(mutex); }

static void nest(pthread_mutex_t* outer, pthread_mutex_t* inner) {
  take(outer);
  take(inner);
  give(inner);
  give(outer);
}

static void* first(void* none) {
  if (is("two") || is("three")) nest(&a, &b);
  if (is("between")) {
    take(&a);
    nest(&gate, &b);
    give(&a);
  }
  if (is("given-up-before")) {  // b and then c, as one goes along a list
    take(&a);
    take(&b);
    give(&a);
    take(&c);
    give(&b);
    give(&c);
  }
  if (is("outer-given-up")) {
    take(&gate);
    take(&a);
    give(&gate);
    take(&b);
    give(&b);
    give(&a);
  }
  if (is("gate")) {
    take(&gate);
    nest(&a, &b);
    give(&gate);
  }
  if (is("gate-given-up-after")) {
    take(&gate);
    take(&a);
    take(&b);
    give(&gate);
    give(&a);
    give(&b);
  }
  end_turn();
  return none;
}

static void* second(void* none) {
  await_turn(1);
  if (is("two") || is("between")) nest(&b, &a);
  if (is("three")) nest(&b, &c);
  if (is("given-up-before")) nest(&c, &b);
  if (is("outer-given-up") || is("gate") || is("gate-given-up-after")) {
    take(&gate);
    nest(&b, &a);
    give(&gate);
  }
  end_turn();
  return none;
}

static void* third(void* none) {
  await_turn(2);
  if (is("three")) nest(&c, &a);
  return none;
}

int main(int count, char** arguments) {
  how = arguments[count - 1];
  pthread_t threads[3];
  void* (*const functions[])(void*) = {first, second, third};
  for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, functions[i], NULL);
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
}
