// After SQLite 3.3.0 (Portend, table 5: its one race can deadlock it): a home-made recursive lock that remembers
// without any protection whether it is held. The note of who gives it up may come after the next owner's, who then does
// not know that it has the lock, and waits for itself.
#include "threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int in_mutex;
static int pages;

static void* one(void* unused) {
  pthread_mutex_lock(&mutex);
  pages = pages + 1;
  pthread_mutex_unlock(&mutex);
  // RACE left entered: spec-violated deadlock: the other's note is overwritten, and it takes its own lock again
  // RACE left nested: spec-violated deadlock: the other reads that nobody has the lock though it has it itself
  in_mutex = 0;  // @left
  return unused;
}

static void* other(void* unused) {
  later();
  pthread_mutex_lock(&mutex);
  in_mutex = 1;              // @entered
  int is_nested = in_mutex;  // @nested
  if (!is_nested) pthread_mutex_lock(&mutex);
  pages = pages + 1;
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main(void) {
  run_both(one, other);
  printf("%d pages\n", pages);
}
