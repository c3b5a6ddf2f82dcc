// An object is changed, then published by a pointer under a lock: who finds the pointer comes after the changes.
// NORACE
// RUN: %check %s

#include "order.h"

struct Node {
  int value;
};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
struct Node* published;
struct Node node;
int seen;

static void publishes(void) {
  node.value = 1;
  pthread_mutex_lock(&mutex);
  published = &node;
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void finds(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  struct Node* found = published;
  pthread_mutex_unlock(&mutex);
  if (found != NULL) seen = found->value++;
}

int main(void) { run_two(publishes, finds); }
