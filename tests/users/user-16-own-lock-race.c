// Line 16: the same, where one side forgets the lock: the annotation makes no race disappear.
// RUN: %check %s

#include "annotations.h"
#include "order.h"

int lock;
int x;

static void locked(void) {
  TSAN(mutex_pre_lock, &lock, 0);
  TSAN(mutex_post_lock, &lock, 0, 0);
  x = 1;  // RACE: observed x
  TSAN(mutex_pre_unlock, &lock, 0);
  TSAN(mutex_post_unlock, &lock, 0);
  end_turn();
}

static void unlocked(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) { run_two(locked, unlocked); }
