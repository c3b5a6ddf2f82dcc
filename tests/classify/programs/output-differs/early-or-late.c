// A thread says whether it came before or after the deadline.
#include "threads.h"

static volatile int is_over;

static void* ends(void* unused) {
  // RACE end ask: output-differs output: the order is what is printed
  is_over = 1;  // @end
  return unused;
}

static void* asks(void* unused) {
  later();
  int over = is_over;  // @ask
  puts(over ? "late" : "early");
  return unused;
}

int main(void) { run_both(ends, asks); }
