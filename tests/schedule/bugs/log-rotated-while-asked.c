// A log is rotated: closed and opened again, each under its lock. Who asks in between whether there is a log hears no,
// and does not log a change that counts.
// After MySQL bug 791, "Race condition: FLUSH LOGS and queries that are not logged", in Lu and others, "Learning from
// Mistakes" (ASPLOS 2008).
// BUG: kind=atomicity-wrw preemptions=1 threads=2 shows=status finding=atomicity:is_open
// RUN: %show %s
#include "bug.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_open = 1, logged;

static void set_open(int value) {
  pthread_mutex_lock(&lock);
  is_open = value;
  pthread_mutex_unlock(&lock);
}

static void* rotate(void* self) {
  (void)self;
  set_open(0);
  step(0);
  step(3);
  set_open(1);
  return NULL;
}

static void* change(void* self) {
  (void)self;
  step(1);
  pthread_mutex_lock(&lock);
  if (is_open) ++logged;
  pthread_mutex_unlock(&lock);
  step(2);
  return NULL;
}

int main(void) {
  RUN(rotate, change);
  return logged == 1 ? 0 : 3;
}
