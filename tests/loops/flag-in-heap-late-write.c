// Flag: in a structure on the heap; the data is written after it.
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
  box->ready = 1;
  box->data = 1;  // RACE: observed data
}

static void waits(void) {
  while (!box->ready) {
  }
  box->data++;  // RACE: observed data
}

int main(void) {
  box = calloc(1, sizeof(Box));
  meet(waits, sets);
  free(box);
}
