// The list is taken out under the lock, but who used it kept a pointer and uses it without the lock.
// RUN: %check %s

#include "order.h"

struct Node {
  struct Node* next;
  int value;
};

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
struct Node* head;

static void uses(void) {
  pthread_mutex_lock(&mutex);
  struct Node* node = head;
  if (node != 0) node->next = 0;
  pthread_mutex_unlock(&mutex);
  if (node != 0) node->value = 1;  // RACE: predicted <value>
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  end_turn();
}

static void takes(void) {
  await_turn(1);
  pthread_mutex_lock(&mutex);
  struct Node* mine = head;
  head = 0;
  pthread_mutex_unlock(&mutex);
  mine->value = 2;  // RACE: predicted <value>
}

int main(void) {
  head = malloc(sizeof *head);
  run_two(uses, takes);
}
