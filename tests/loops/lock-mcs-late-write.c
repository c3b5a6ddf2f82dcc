// Home-made lock: a queue of waiters, each spinning on its own flag (Mellor-Crummey and Scott); one thread writes late.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include <stddef.h>

#include "arrival.h"

typedef struct Node {
  struct Node* next;
  int waits;
} Node;

static Node* tail;
static Node nodes[2];
int x;

static void lock(Node* mine) {
  __atomic_store_n(&mine->next, NULL, __ATOMIC_RELAXED);
  __atomic_store_n(&mine->waits, 1, __ATOMIC_RELAXED);
  Node* before = __atomic_exchange_n(&tail, mine, __ATOMIC_ACQ_REL);
  if (before != NULL) {
    __atomic_store_n(&before->next, mine, __ATOMIC_RELEASE);
    while (__atomic_load_n(&mine->waits, __ATOMIC_ACQUIRE)) {
    }
  }
}

static void unlock(Node* mine) {
  if (__atomic_load_n(&mine->next, __ATOMIC_ACQUIRE) == NULL) {
    Node* expected = mine;
    if (__atomic_compare_exchange_n(&tail, &expected, NULL, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) return;
    while (__atomic_load_n(&mine->next, __ATOMIC_ACQUIRE) == NULL) {
    }
  }
  __atomic_store_n(&mine->next->waits, 0, __ATOMIC_RELEASE);
}

static void hasty(void) {
  lock(&nodes[0]);
  unlock(&nodes[0]);
  x++;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  lock(&nodes[1]);
  x++;  // RACE: observed x
  unlock(&nodes[1]);
}

int main(void) { run_two(hasty, second); }
