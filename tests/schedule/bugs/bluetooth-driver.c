// A driver counts requests that are under way. One looks whether the driver stops, and counts itself afterwards; the
// stopping thread sees no request in between and frees everything.
// After the Bluetooth driver in Qadeer and Wu, "KISS: Keep It Simple and Sequential" (PLDI 2004).
// BUG: kind=toctou preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <stdatomic.h>

#include "bug.h"

static atomic_int pending = 1, stopping, stopped;

static void leave(void) {
  if (atomic_fetch_sub(&pending, 1) == 1) atomic_store(&stopped, 1);
}

static void* request(void* self) {
  (void)self;
  if (atomic_load(&stopping)) return NULL;
  step(0);
  step(3);
  atomic_fetch_add(&pending, 1);
  assert(!atomic_load(&stopped));
  leave();
  return NULL;
}

static void* stop(void* self) {
  (void)self;
  step(1);
  atomic_store(&stopping, 1);
  leave();
  step(2);
  return NULL;
}

int main(void) { RUN(request, stop); }
