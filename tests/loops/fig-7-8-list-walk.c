// Thesis, figure 7.8: a walk over a list is no spinning read loop, its variable changes. The node is linked in without
// synchronization, and a walk taken for a wait would hide that.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include <stddef.h>

#include "arrival.h"

typedef struct Node {
  int dso_handle;
  struct Node* next;
} Node;

Node last = {7, NULL};
Node first_node = {3, NULL};
Node* lastp;

static void links(void) {
  last.dso_handle = 9;      // RACE: observed dso_handle
  first_node.next = &last;  // RACE: observed next
  end_turn();
}

static void walks(void) {
  await_turn(1);
  Node* runp = &first_node;
  while (runp != NULL)
    if (runp->dso_handle == 9)  // RACE: observed dso_handle
      break;
    else {
      lastp = runp;
      runp = runp->next;  // RACE: observed next
    }
}

int main(void) { run_two(links, walks); }
