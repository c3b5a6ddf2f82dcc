// No spin: following the parents to the root.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include <stddef.h>

#include "arrival.h"

typedef struct Tree {
  struct Tree* parent;
  int rank;
} Tree;

Tree root = {NULL, 0};
Tree middle = {NULL, 0};
Tree leaf = {&middle, 0};

static void attaches(void) {
  root.rank = 1;          // RACE: observed rank
  middle.parent = &root;  // RACE: observed parent
  end_turn();
}

static void climbs(void) {
  await_turn(1);
  Tree* at = &leaf;
  while (at->parent != NULL) at = at->parent;  // RACE: observed parent
  at->rank = 2;                                // RACE: observed rank
}

int main(void) { run_two(attaches, climbs); }
