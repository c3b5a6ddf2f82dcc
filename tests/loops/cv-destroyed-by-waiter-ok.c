// Condition variable: the waiter destroys and frees what it waited with; the signaller is done with it.
// NORACE
// ARRIVAL: both
// RUN: %check %s

#include <stdlib.h>

#include "arrival.h"

typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int done;
  int answer;
} Call;

Call* call;

static void answers(void) {
  call->answer = 42;
  pthread_mutex_lock(&call->mutex);
  call->done = 1;
  pthread_cond_signal(&call->changed);
  pthread_mutex_unlock(&call->mutex);
}

static void asks(void) {
  pthread_mutex_lock(&call->mutex);
  while (!call->done) pthread_cond_wait(&call->changed, &call->mutex);
  pthread_mutex_unlock(&call->mutex);
  pthread_mutex_destroy(&call->mutex);
  pthread_cond_destroy(&call->changed);
  free(call);
}

int main(void) {
  call = calloc(1, sizeof(Call));
  pthread_mutex_init(&call->mutex, NULL);
  pthread_cond_init(&call->changed, NULL);
  meet(asks, answers);
}
