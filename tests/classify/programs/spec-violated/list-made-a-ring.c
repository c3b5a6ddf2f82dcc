// A node that finds the list empty becomes its own successor: who walks from it never comes to an end.
#include "threads.h"

struct Node {
  struct Node* volatile next;
};
static struct Node a, b;
static struct Node* volatile head;

static void* puts_a(void* unused) {
  // RACE put find: spec-violated hang: looked at first, the list is empty, and becomes a ring
  head = &a;  // @put
  return unused;
}

static void* puts_b(void* unused) {
  later();
  struct Node* first = head;  // @find
  b.next = first == 0 ? &b : first;
  return unused;
}

int main(void) {
  run_both(puts_a, puts_b);
  struct Node* node = &b;
  while (node != 0) node = node->next;
  printf("walked\n");
}
