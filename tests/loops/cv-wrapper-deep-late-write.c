// Condition variable: three functions between the loop and the wait; the data is written after the section that
// announces it.
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
} Monitor;

Monitor monitor = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER};
int ready;
int x;
#define APART static __attribute__((noinline))

APART void wait_on(pthread_cond_t* c, pthread_mutex_t* m) { pthread_cond_wait(c, m); }
APART void wait_once(Monitor* m) { wait_on(&m->changed, &m->mutex); }
APART void monitor_wait(Monitor* m) { wait_once(m); }
APART void monitor_enter(Monitor* m) { pthread_mutex_lock(&m->mutex); }
APART void monitor_leave(Monitor* m) { pthread_mutex_unlock(&m->mutex); }
APART void monitor_notify(Monitor* m) { pthread_cond_signal(&m->changed); }

static void announces(void) {
  monitor_enter(&monitor);
  ready = 1;
  monitor_notify(&monitor);
  monitor_leave(&monitor);
  x = 1;  // RACE: observed x
}

static void waits(void) {
  monitor_enter(&monitor);
  while (!ready) monitor_wait(&monitor);
  monitor_leave(&monitor);
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, announces); }
