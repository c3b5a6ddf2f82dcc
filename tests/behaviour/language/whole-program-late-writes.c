// What is written before there are threads is not checked in a whole program. Here all is written then, and once more:
// after the creation, after a join while another thread runs, by a helper that is called twice, after a helper that
// creates, in the loop that creates, through a pointer, by a thread, at the exit.
// RUN: %check %s --levels=-O0+-flto+-fnorn-whole-program,-O1+-flto+-fnorn-whole-program,-O2+-flto+-fnorn-whole-program
// ENGINES: hb hybrid

#include "order.h"

static int settled[4];
static int after_creation, after_join, by_helper, after_helper, in_loop, by_pointer, by_thread, at_exit;
static volatile int seen;
static pthread_t threads[3];

static void* nothing(void* unused) { return unused; }

static void* looks(void* unused) {
  await_turn(1);
  int sum = settled[1];
  sum += after_creation;  // RACE: observed after_creation
  sum += after_join;      // RACE: observed after_join
  sum += by_helper;       // RACE: observed by_helper
  sum += after_helper;    // RACE: observed after_helper
  sum += in_loop;         // RACE: observed in_loop
  sum += by_pointer;      // RACE: observed by_pointer
  by_thread = sum;        // RACE: observed by_thread
  end_turn();
  await_turn(4);
  seen = at_exit;  // RACE: observed at_exit
  end_turn();
  return unused;
}

static __attribute__((noinline)) void set_by_helper(int value) {
  by_helper = value;  // RACE: observed by_helper
}

static __attribute__((noinline)) void store(int* where, int value) {
  *where = value;  // RACE: observed by_pointer
}

static __attribute__((noinline)) void create(int index) {
  pthread_create(&threads[index], NULL, index == 0 ? looks : nothing, NULL);
}

static void leave(void) {
  at_exit = 2;  // RACE: observed at_exit
  end_turn();
  await_turn(5);
}

int main(void) {
  atexit(leave);
  for (int i = 0; i < 4; ++i) settled[i] = i;
  after_creation = after_join = after_helper = by_thread = at_exit = 1;
  set_by_helper(1);
  store(&by_pointer, 1);
  for (int i = 0; i < 3; ++i) {
    in_loop = i;  // RACE: observed in_loop
    create(i);
  }
  after_helper = 2;    // RACE: observed after_helper
  after_creation = 2;  // RACE: observed after_creation
  pthread_join(threads[1], NULL);
  after_join = 2;  // RACE: observed after_join
  set_by_helper(2);
  store(&by_pointer, 2);
  end_turn();
  await_turn(2);
  by_thread += 1;  // RACE: observed by_thread
  end_turn();
  return 0;
}
