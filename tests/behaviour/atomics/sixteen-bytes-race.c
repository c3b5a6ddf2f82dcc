// A write of sixteen bytes and one of the last of them.
// RUN: %check %s

#include "order.h"

typedef int Vector __attribute__((vector_size(16)));
Vector vector;
Vector source = {1, 2, 3, 4};

static void whole(void) {
  vector = source;  // RACE: observed vector
  end_turn();
}

static void last(void) {
  await_turn(1);
  ((int*)&vector)[3] = 5;  // RACE: observed vector
}

int main(void) { run_two(whole, last); }
