// Two threads enter words into one tree of tsearch without a lock: both may change the root and the nodes
// (POSIX.1-2017, XSH tsearch: "if there is no such element, a pointer to a new one is returned" and stored in the tree;
// XBD 4.12).
// RUN: %check %s

#include <pthread.h>
#include <sched.h>
#include <search.h>
#include <stdatomic.h>
#include <string.h>

static void* root;
static atomic_int turn;

static int compare(const void* a, const void* b) { return strcmp(a, b); }

static void* enters_first(void* word) {
  void* node = tsearch(word, &root, compare);  // RACE: observed <root>
  atomic_store_explicit(&turn, 1, memory_order_relaxed);
  return node;
}

static void* enters_second(void* word) {
  // The other comes first, so that it is harmless; relaxed, so this orders nothing.
  while (!atomic_load_explicit(&turn, memory_order_relaxed)) sched_yield();
  return tsearch(word, &root, compare);  // RACE: observed <root>
}

int main(void) {
  static char first[] = "m", second[] = "c";
  pthread_t a, b;
  pthread_create(&a, NULL, enters_first, first);
  pthread_create(&b, NULL, enters_second, second);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return tfind("m", &root, compare) == NULL;
}
