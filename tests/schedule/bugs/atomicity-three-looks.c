// A monitor samples a machine's state three times; only if each sample falls between two of the machine's steps does
// it see the one history it does not know.
// BUG: kind=atomicity-multi preemptions=3 threads=2 shows=assertion finding=atomicity:state
// FOUND-BY: race-directed
// CONFIRMED: 0.1 (three coins must fall the same way)
// RUN: %show %s
// RUN: %found %s
#include "bug.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int state;

static int sample(void) {
  pthread_mutex_lock(&mutex);
  int seen = state;
  pthread_mutex_unlock(&mutex);
  return seen;
}

static void* monitor(void* unused) {
  int first = sample();
  step(0);
  step(3);
  int second = sample();
  step(4);
  step(7);
  int third = sample();
  assert(!(first == 0 && second == 1 && third == 2));
  return unused;
}

static void* machine(void* unused) {
  for (int next = 1; next <= 2; ++next) {
    step(4 * next - 3);
    pthread_mutex_lock(&mutex);
    state = next;
    pthread_mutex_unlock(&mutex);
    step(4 * next - 2);
  }
  return unused;
}

int main(void) { RUN(monitor, machine); }
