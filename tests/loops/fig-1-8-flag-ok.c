// Thesis, figure 1.8: simple ad-hoc synchronization by a FLAG. The race on FLAG is the synchronization itself.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <stdbool.h>

#include "arrival.h"

volatile bool FLAG = false;
int DATA;

static void thread_1(void) {
  DATA++;
  FLAG = true;
}

static void thread_2(void) {
  while (!FLAG) {
  }
  DATA--;
}

int main(void) { meet(thread_2, thread_1); }
