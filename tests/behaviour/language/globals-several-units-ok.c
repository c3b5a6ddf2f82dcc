// A variable of another translation unit, used after the join.
// NORACE
// ALSO: ../Inputs/other-unit.c
// RUN: %check %s

#include "order.h"

extern int shared_count;
void write_in_other_unit(void);

static void* writes(void* unused) {
  write_in_other_unit();
  return unused;
}

int main(void) {
  pthread_t thread;
  shared_count = 1;
  pthread_create(&thread, NULL, writes, NULL);
  pthread_join(thread, NULL);
  return shared_count != 2;
}
