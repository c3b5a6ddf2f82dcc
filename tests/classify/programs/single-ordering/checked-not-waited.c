// No loop at all: the data is read only if the flag says that it is there. Whether it is, is not printed.
#include "threads.h"

static volatile int is_there;
static int data;
static volatile int copy;

static void* sends(void* unused) {
  // RACE data read: single-ordering: it is read only by who has seen the flag, which is written after it
  data = 19;  // @data
  // RACE set ask: k-witness-harmless: who asks too early does without
  is_there = 1;  // @set
  return unused;
}

static void* asks(void* unused) {
  later();
  if (is_there) {  // @ask
    copy = data;   // @read
  }
  return unused;
}

int main(void) {
  run_both(sends, asks);
  puts("done");
}
