// Thesis, figure 10.2: nothing orders anything.
// RUN: %check %s

#include "arrival.h"

int X, Y, t1, t2;

static void function_1(void) {
  X = 1;   // RACE: observed X
  t1 = Y;  // RACE: observed Y
}

static void function_2(void) {
  Y = 1;   // RACE: observed Y
  t2 = X;  // RACE: observed X
}

int main(void) { run_two(function_1, function_2); }
