// Flag: a plain bool that tells a worker to stop orders, and is named.
// NORACE
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include <sched.h>

#include "arrival.h"

bool stop;
long work_done;
int result;

static void works() {
  while (!stop) {  // FLAG: stop
    work_done++;
    sched_yield();
  }
  result++;
}

static void stops() {
  result = 41;
  stop = true;  // FLAG: stop
}

int main() { meet(works, stops); }
