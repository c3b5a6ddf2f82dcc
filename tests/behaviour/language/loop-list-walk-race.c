// A walk over a list is no wait for its elements (thesis figure 7.8): the race on them stays.
// RUN: %check-loops %s

#include "order.h"

struct Node {
  int key;
  struct Node* next;
};
struct Node third = {3, NULL}, second = {2, &third}, first = {1, &second};
struct Node* list = &first;
int x;

static void changes(void) {
  x = 1;           // RACE: observed x
  second.key = 5;  // RACE: observed <key>
  end_turn();
}

static void searches(void) {
  await_turn(1);
  struct Node* node = list;
  while (node != NULL) {
    if (node->key == 5) break;  // RACE: observed <key>
    node = node->next;
  }
  if (node != NULL) x = 2;  // RACE: observed x
}

int main(void) { run_two(changes, searches); }
