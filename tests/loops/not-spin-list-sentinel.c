// No spin: a walk over a list to a sentinel that compares equal to itself.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include <stddef.h>

#include "arrival.h"

typedef struct Node {
  struct Node* next;
  int value;
} Node;

Node sentinel = {&sentinel, 0};
Node node = {&sentinel, 1};
Node head = {&sentinel, 0};
int sum;

static void links(void) {
  node.value = 5;     // RACE: observed value
  head.next = &node;  // RACE: observed next
  end_turn();
}

static void walks(void) {
  await_turn(1);
  for (Node* at = head.next; at != &sentinel; at = at->next)  // RACE: observed next
    sum += at->value;                                         // RACE: observed value
}

int main(void) { run_two(links, walks); }
