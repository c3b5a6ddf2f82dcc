// Flag: loads and stores written in assembly.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

int flag;
int x;

static inline int load(const int* from) {
  int value;
  __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*from) : "memory");
  return value;
}

static void sets(void) {
  x = 1;
  __asm__ volatile("movl $1, %0" : "=m"(flag) : : "memory");
}

static void waits(void) {
  while (!load(&flag)) {
  }
  x = 2;
}

int main(void) { meet(waits, sets); }
