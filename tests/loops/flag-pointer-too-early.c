// Flag: the pointer is published before the data it points to is written.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <stdlib.h>

#include "arrival.h"

int* volatile published;

static void sets(void) {
  int* data = malloc(sizeof(int));
  published = data;
  *data = 1;  // RACE: observed <data>
}

static void waits(void) {
  int* data;
  while ((data = published) == NULL) {
  }
  ++*data;  // RACE: observed <data>
}

int main(void) { meet(waits, sets); }
