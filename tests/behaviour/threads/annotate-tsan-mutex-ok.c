// A lock of one's own, invisible in itself, told by __tsan_mutex_*.
// NORACE
// RUN: %check %s

#include <sched.h>

#include "annotations.h"
#include "order.h"

int locked;
int x;

NORN_TEST_INVISIBLE int try_lock(void) {
  int value = 1;
  __asm__ volatile("xchgl %0, %1" : "+r"(value), "+m"(locked)::"memory");
  return value == 0;
}

NORN_TEST_INVISIBLE void give_back(void) { __asm__ volatile("movl $0, %0" : "=m"(locked)::"memory"); }

static void lock(void) {
  TSAN(mutex_pre_lock, &locked, 0);
  while (!try_lock()) sched_yield();
  TSAN(mutex_post_lock, &locked, 0, 0);
}

static void unlock(void) {
  TSAN(mutex_pre_unlock, &locked, 0);
  give_back();
  TSAN(mutex_post_unlock, &locked, 0);
}

static void adds(void) {
  for (int i = 0; i < 100; i++) {
    lock();
    x++;
    unlock();
  }
}

int main(void) {
  TSAN(mutex_create, &locked, 0);
  run_two(adds, adds);
  TSAN(mutex_destroy, &locked, 0);
  return x != 200;
}
