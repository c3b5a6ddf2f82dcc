// A node is linked before its own successor is set: who walks in between follows a wild pointer.
#include "threads.h"

struct Node {
  struct Node* volatile next;
  int value;
};
static struct Node last = {0, 2};
static struct Node fresh = {(struct Node*)8, 1};
static struct Node* volatile head = &last;
static int sum;

static void* inserts(void* unused) {
  later();
  // RACE link walk: spec-violated crash: whoever sees the node before its successor is set follows a wild pointer
  head = &fresh;  // @link
  sched_yield();
  // RACE fix follow: spec-violated crash: read first, the successor is a wild pointer
  fresh.next = &last;  // @fix
  return unused;
}

static void* walks(void* unused) {
  usleep(60000);
  struct Node* node = head;  // @walk
  sum = node->value;
  struct Node* after = node->next;  // @follow
  if (after != 0) sum += after->value;
  return unused;
}

int main(void) {
  run_both(inserts, walks);
  printf("walked\n");
}
