// A loop waits for a pointer, and what it points to is read.
#include "threads.h"

struct Message {
  int number, weight;
};
static struct Message message;
static struct Message* volatile published;
static int seen;

static void* sends(void* unused) {
  // RACE number readnumber: single-ordering: it is read through the pointer that the loop waits for
  message.number = 5;  // @number
  // RACE weight readweight: single-ordering: it is read through the pointer that the loop waits for
  message.weight = 6;  // @weight
  // RACE publish wait: single-ordering: the loop waits for this very write
  published = &message;  // @publish
  return unused;
}

static void* receives(void* unused) {
  struct Message* mine;
  while ((mine = published) == 0) sched_yield();  // @wait
  seen = mine->number;                            // @readnumber
  seen += mine->weight;                           // @readweight
  return unused;
}

int main(void) {
  run_both(sends, receives);
  printf("%d\n", seen);
}
