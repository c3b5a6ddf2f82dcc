// Two threads write one malloc'ed object.
// RUN: %check %s

#include <stdlib.h>

#include "order.h"

struct Node {
  int key;
  int value;
};
struct Node* node;

static void first(void) {
  node->value = 1;  // RACE: observed value
  end_turn();
}

static void second(void) {
  await_turn(1);
  node->value = 2;  // RACE: observed value
}

int main(void) {
  node = malloc(sizeof *node);
  run_two(first, second);
  free(node);
}
