// Condition variable: two threads take turns on the same data.
// NORACE
// RUN: %check %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int turn;
int x;

static void play(int me) {
  for (int i = 0; i < 5; ++i) {
    pthread_mutex_lock(&mutex);
    while (turn != me) pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    x++;
    pthread_mutex_lock(&mutex);
    turn = 1 - me;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
}

static void ping(void) { play(0); }
static void pong(void) { play(1); }
int main(void) { run_two(ping, pong); }
