// After ocean (Portend, table 6: four of its races have a single ordering): phases are kept apart by a barrier that the
// program makes itself of a count and a phase.
#include "threads.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int arrived;
static volatile int phase;
static int rows[2], sums[2];

static void barrier(void) {
  pthread_mutex_lock(&mutex);
  int mine = phase;
  if (++arrived == 2) {
    arrived = 0;
    // RACE next wait: single-ordering: the loop waits for this very write
    phase = mine + 1;  // @next
    pthread_mutex_unlock(&mutex);
    return;
  }
  pthread_mutex_unlock(&mutex);
  while (phase == mine) sched_yield();  // @wait
}

static void* one(void* unused) {
  // RACE left2 left: single-ordering: the barrier's loop stands between the write and the read
  rows[0] = 4;  // @left
  barrier();
  // RACE right right2: single-ordering: the barrier's loop stands between the write and the read
  sums[0] = rows[0] + rows[1];  // @right2
  return unused;
}

static void* other(void* unused) {
  later();
  rows[1] = 6;  // @right
  barrier();
  sums[1] = rows[0] - rows[1];  // @left2
  return unused;
}

int main(void) {
  run_both(one, other);
  printf("%d %d\n", sums[0], sums[1]);
}
