// RUN: %check %s
// Two variables that do not live at the same time may have the same bytes: the one that lives is named.
#include "order.h"

struct counts {
  long seen[3];
  long lost;
};

static void* work(void* argument) {
  struct counts* counts = argument;
  counts->lost = 1;  // RACE: observed second.lost
  end_turn();
  return NULL;
}

static __attribute__((noinline)) void share(struct counts* counts, int races) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, counts);
  if (races) {
    await_turn(2);
    counts->lost = 2;  // RACE: observed second.lost
  }
  pthread_join(thread, NULL);
}

int main(void) {
  {
    struct counts first = {0};
    share(&first, 0);
  }
  {
    struct counts second = {0};
    share(&second, 1);
  }
  return 0;
}
