// Three threads append to a log whose length is not protected: one entry overwrites another.
// BUG: kind=data-race preemptions=1 threads=3 shows=status finding=race:log
// FOUND-BY: random race-directed pct pos
// RUN: %show %s
// RUN: %found %s
#include <string.h>

#include "bug.h"

static struct {
  int length;
  char text[8][8];
} log_;

static void* append(void* self) {
  if (self == (void*)1) step(1);
  int place = log_.length;
  if (self == NULL) step(0), step(3);
  strcpy(log_.text[place], "entry");
  log_.length = place + 1;
  if (self == (void*)1) step(2);
  return NULL;
}

int main(void) {
  RUN(append, append, append);
  return log_.length == 3 ? 0 : 3;
}
