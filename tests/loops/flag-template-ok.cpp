// Flag: the loop is a template over its condition.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include "arrival.h"

volatile bool flag;
int x;

template <typename Condition>
static void spin_until(Condition condition) {
  while (!condition()) sched_yield();
}

static void sets() {
  x = 1;
  flag = true;
}

static void waits() {
  spin_until([] { return bool(flag); });
  x = 2;
}

int main() { meet(waits, sets); }
