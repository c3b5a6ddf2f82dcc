// Condition variable: an event with set and wait; the data is written after the event was set.
// ARRIVAL: both
// RUN: %check %s

#include "arrival.h"

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int is_set;
} Event;

Event event = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
int x;

static __attribute__((noinline)) void event_set(Event* e) {
  pthread_mutex_lock(&e->mutex);
  e->is_set = 1;
  pthread_cond_broadcast(&e->changed);
  pthread_mutex_unlock(&e->mutex);
}

static __attribute__((noinline)) void event_wait(Event* e) {
  pthread_mutex_lock(&e->mutex);
  while (!e->is_set) pthread_cond_wait(&e->changed, &e->mutex);
  pthread_mutex_unlock(&e->mutex);
}

static void announces(void) {
  event_set(&event);
  x = 1;  // RACE: observed x
}

static void waits(void) {
  event_wait(&event);
  x = 2;  // RACE: observed x
}

int main(void) { meet(waits, announces); }
