// Condition variable: nested conditions; what belongs to the inner one is used when only the outer one holds.
// ARRIVAL: counterpart
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int open_now, filled;
int x, y;

static void opens(void) {
  x = 1;
  pthread_mutex_lock(&mutex);
  open_now = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

static void fills(void) {
  y = 1;  // RACE: predicted y
  pthread_mutex_lock(&mutex);
  filled = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

static void waits(void) {
  pthread_mutex_lock(&mutex);
  while (!open_now) pthread_cond_wait(&changed, &mutex);
  x++;
  y++;  // RACE: predicted y
  while (!filled) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  x++;
  y++;
}

int main(void) { meet_two(waits, opens, fills); }
