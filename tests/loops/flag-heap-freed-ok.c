// Flag: the waiter frees what it waited with.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <stdlib.h>

#include "arrival.h"

typedef struct {
  int data;
  volatile int ready;
} Box;

Box* box;

static void sets(void) {
  box->data = 1;
  box->ready = 1;
}

static void waits(void) {
  Box* const mine = box;
  while (!mine->ready) {
  }
  free(mine);
}

int main(void) {
  box = calloc(1, sizeof(Box));
  meet(waits, sets);
}
