// Flag: the pointer to the data is the flag.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <stdlib.h>

#include "arrival.h"

int* volatile published;

static void sets(void) {
  int* data = malloc(sizeof(int));
  *data = 1;
  published = data;
}

static void waits(void) {
  int* data;
  while ((data = published) == NULL) {
  }
  ++*data;
  free(data);
}

int main(void) { meet(waits, sets); }
