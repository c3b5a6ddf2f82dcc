// Line 16: a ticket lock in inline assembly, with no annotation but the one that says what it is.
// NORACE
// RUN: %check %s

#include <sched.h>

#include "annotations.h"
#include "order.h"

struct Ticket {
  int next;
  int serving;
} ticket;
int x;

NORN_TEST_INVISIBLE void take(void) {
  int mine = 1;
  __asm__ volatile("lock; xaddl %0, %1" : "+r"(mine), "+m"(ticket.next)::"memory");
  while (*(volatile int*)&ticket.serving != mine) sched_yield();
  __asm__ volatile("" ::: "memory");
}

NORN_TEST_INVISIBLE void give_back(void) { __asm__ volatile("incl %0" : "+m"(ticket.serving)::"memory"); }

static void adds(void) {
  for (int i = 0; i < 100; i++) {
    TSAN(mutex_pre_lock, &ticket, 0);
    take();
    TSAN(mutex_post_lock, &ticket, 0, 0);
    x++;
    TSAN(mutex_pre_unlock, &ticket, 0);
    give_back();
    TSAN(mutex_post_unlock, &ticket, 0);
  }
}

int main(void) {
  run_two(adds, adds);
  return x != 200;
}
