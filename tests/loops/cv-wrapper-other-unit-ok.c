// Condition variable: the wait is in a function of another translation unit (seen by link-time optimisation).
// ALSO: Inputs/own-monitor.c
// NORACE
// ARRIVAL: both
// RUN: %check-lto %s
// RUN: %check-whole-program %s

#include "Inputs/own-monitor.h"
#include "arrival.h"

OwnMonitor monitor = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
int ready;
int x;

static void announces(void) {
  x = 1;
  pthread_mutex_lock(&monitor.mutex);
  ready = 1;
  own_monitor_signal(&monitor);
  pthread_mutex_unlock(&monitor.mutex);
}

static void waits(void) {
  pthread_mutex_lock(&monitor.mutex);
  while (!ready) own_monitor_wait(&monitor);
  pthread_mutex_unlock(&monitor.mutex);
  x = 2;
}

int main(void) {
  meet(waits, announces);
  return x - 2;  // so that x is needed when the whole program is known
}
