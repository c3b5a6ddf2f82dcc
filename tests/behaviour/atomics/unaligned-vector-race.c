// A loop that the optimizer makes to read four numbers at once, from where no four of them lie in two granules.
// RUN: %check %s

#include "order.h"

enum { kCount = 64 };
_Alignas(16) int numbers[kCount + 2];
int sum;

static void add(void) {
  const int* from = numbers + 1;
  int all = 0;
  for (int i = 0; i < kCount; i++) all += from[i];  // RACE: observed numbers
  sum = all;
  end_turn();
}

static void change(void) {
  await_turn(1);
  numbers[4] = 2;  // RACE: observed numbers
}

int main(void) { run_two(add, change); }
