// Two threads write two members of one malloc'ed object.
// NORACE
// RUN: %check %s

#include <stdlib.h>

#include "order.h"

struct Node {
  int key;
  int value;
};
struct Node* node;

static void first(void) { node->key = 1; }

static void second(void) { node->value = 2; }

int main(void) {
  node = malloc(sizeof *node);
  run_two(first, second);
  free(node);
}
