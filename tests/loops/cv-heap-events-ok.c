// Condition variables: events in an array on the heap; each is waited for in turn.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include <stdlib.h>

#include "arrival.h"

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int is_set;
  int payload;
} Event;

Event* events;

static void set(Event* e) {
  e->payload++;
  pthread_mutex_lock(&e->mutex);
  e->is_set = 1;
  pthread_cond_signal(&e->changed);
  pthread_mutex_unlock(&e->mutex);
}

static void first(void) { set(&events[0]); }
static void second(void) { set(&events[1]); }

static void waits(void) {
  for (int i = 0; i < 2; ++i) {
    Event* e = &events[i];
    pthread_mutex_lock(&e->mutex);
    while (!e->is_set) pthread_cond_wait(&e->changed, &e->mutex);
    pthread_mutex_unlock(&e->mutex);
    e->payload++;
  }
}

int main(void) {
  events = calloc(2, sizeof(Event));
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_init(&events[i].mutex, NULL);
    pthread_cond_init(&events[i].changed, NULL);
  }
  meet_two(waits, first, second);
  free(events);
}
