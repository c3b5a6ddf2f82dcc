// After bbuf (Portend, table 6: six races, all of them "output differs"): a bounded buffer with two producers and a
// consumer and no lock at all.
#include "threads.h"

enum { kSize = 8 };
static int buffer[kSize];
static volatile int in, out;
static int taken = -1;

static void put(int item) {
  // RACE read write: output-differs output: two who read the same index put their items into one place
  // RACE advance write: output-differs output: the later of two writes of one index loses an item
  int at = in;  // @read
  sched_yield();
  buffer[at] = item;
  in = at + 1;  // @write @advance
}

static void* produces_ten(void* unused) {
  put(10);
  return unused;
}

static void* produces_twenty(void* unused) {
  put(20);
  return unused;
}

static void* consumes(void* unused) {
  later();
  int at = out;
  // RACE write look: output-differs output: whether something is there decides what is printed
  if (at < in) {  // @look
    taken = at;
    out = at + 1;
  }
  return unused;
}

int main(void) {
  run_three(produces_ten, produces_twenty, consumes);
  printf("taken %d of", taken);
  for (int i = 0; i < in; ++i) printf(" %d", buffer[i]);
  printf("\n");
}
