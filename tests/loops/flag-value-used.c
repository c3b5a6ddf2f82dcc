// No flag: the loop waits until the number is there, and then works with it; a plain variable that is data may be torn,
// or read twice.
// ARRIVAL: waiter
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include "arrival.h"

long amount;
long sum;

static void gives(void) {
  amount = 5;  // RACE: observed amount
}

static void waits(void) {
  long found;
  while ((found = amount) == 0) sched_yield();  // RACE: observed amount
  sum += found;
}

int main(void) { meet(waits, gives); }
