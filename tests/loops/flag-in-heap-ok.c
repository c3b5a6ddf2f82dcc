// Flag: in a structure on the heap, beside its data.
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
  while (!box->ready) {
  }
  box->data++;
}

int main(void) {
  box = calloc(1, sizeof(Box));
  meet(waits, sets);
  free(box);
}
