// Disjoint bits, each set by a read and a write of the word: one may be lost, and both are printed.
#include "threads.h"

static volatile unsigned word;

static void* low(void* unused) {
  // RACE lowread highwrite: output-differs output: the other bit is lost
  unsigned now = word;  // @lowread
  sched_yield();
  // RACE lowwrite highread: output-differs output: this bit is lost
  // RACE lowwrite highwrite: output-differs output: the later write of one old word loses the other bit
  word = now | 1;  // @lowwrite
  return unused;
}

static void* high(void* unused) {
  later();
  unsigned now = word;  // @highread
  sched_yield();
  word = now | 2;  // @highwrite
  return unused;
}

int main(void) {
  run_both(low, high);
  printf("%u\n", word);
}
