// Condition variable: the wait is in a function of another translation unit; the data is written after the section.
// ALSO: Inputs/own-monitor.c
// ARRIVAL: both
// RUN: %check-lto %s
// RUN: %check-whole-program %s

#include "Inputs/own-monitor.h"
#include "arrival.h"

OwnMonitor monitor = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
int ready;
int x;

static void announces(void) {
  pthread_mutex_lock(&monitor.mutex);
  ready = 1;
  own_monitor_signal(&monitor);
  pthread_mutex_unlock(&monitor.mutex);
  x = 1;  // RACE: observed x
}

static void waits(void) {
  pthread_mutex_lock(&monitor.mutex);
  while (!ready) own_monitor_wait(&monitor);
  pthread_mutex_unlock(&monitor.mutex);
  x = 2;  // RACE: observed x
}

int main(void) {
  meet(waits, announces);
  return x == 0;  // so that x is needed when the whole program is known
}
