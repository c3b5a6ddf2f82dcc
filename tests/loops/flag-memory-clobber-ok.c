// Flag: not volatile; an empty asm statement makes the compiler load it anew.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

int flag;
int x;

static void sets(void) {
  x = 1;
  __asm__ volatile("" ::: "memory");
  flag = 1;
}

static void waits(void) {
  while (!flag) __asm__ volatile("" ::: "memory");
  x = 2;
}

int main(void) { meet(waits, sets); }
