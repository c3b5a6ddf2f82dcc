// A lock of one's own, told to be held as a reader by a thread that writes.
// RUN: %check %s

#include "annotations.h"
#include "order.h"

int lock;
int x;

static void writes(int value) {
  TSAN(mutex_pre_lock, &lock, kTsanReadLock);
  TSAN(mutex_post_lock, &lock, kTsanReadLock, 0);
  x = value;  // RACE: observed x
  TSAN(mutex_pre_unlock, &lock, kTsanReadLock);
  TSAN(mutex_post_unlock, &lock, kTsanReadLock);
}

static void first(void) {
  writes(1);
  end_turn();
}

static void second(void) {
  await_turn(1);
  writes(2);
}

int main(void) {
  TSAN(mutex_create, &lock, 0);
  run_two(first, second);
}
