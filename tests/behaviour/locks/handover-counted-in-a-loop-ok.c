// Reduced from LevelDB's db_bench: a loop under the lock until all have counted, around a wait that cannot be seen. Who
// counts last uses the state once more before it gives the lock up; after that it is gone.
// NORACE
// RUN: %check %s

#include "order.h"

struct State {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  int total;
  int done;
};

// As if they were in another file.
__attribute__((weak)) void wait_for_change(struct State* state) { pthread_cond_wait(&state->changed, &state->mutex); }
__attribute__((weak)) void tell_change(struct State* state) { pthread_cond_broadcast(&state->changed); }

static void* work(void* argument) {
  struct State* state = argument;
  pthread_mutex_lock(&state->mutex);
  state->done++;
  if (state->done >= state->total) tell_change(state);
  pthread_mutex_unlock(&state->mutex);
  return NULL;
}

int main(void) {
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (int round = 0; round < 5; ++round) {
    struct State state = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 3, 0};
    for (int i = 0; i < state.total; ++i) {
      pthread_t thread;
      pthread_create(&thread, &detached, work, &state);
    }
    pthread_mutex_lock(&state.mutex);
    while (state.done < state.total) wait_for_change(&state);
    pthread_mutex_unlock(&state.mutex);
    state.total = 0;
    pthread_cond_destroy(&state.changed);
  }
}
