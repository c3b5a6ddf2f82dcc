// Home-made barrier: sense-reversing; who comes first waits for who comes last.
// NORACE
// ARRIVAL: waiter
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

enum { N = 2 };
static int left = N;
static volatile int sense;
int x;

static void barrier(int* my_sense) {
  *my_sense = !*my_sense;
  if (__sync_sub_and_fetch(&left, 1) == 0) {
    left = N;
    sense = *my_sense;
  } else {
    while (sense != *my_sense) {
    }
  }
  compiler_barrier();
}

static void last(void) {
  int my_sense = 0;
  x = 1;
  barrier(&my_sense);
}

static void first(void) {
  int my_sense = 0;
  barrier(&my_sense);
  x = 2;
}

int main(void) { meet(first, last); }
