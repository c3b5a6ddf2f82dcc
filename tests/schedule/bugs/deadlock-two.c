// Two transfers in opposite directions take the accounts' locks in opposite orders.
// BUG: kind=deadlock preemptions=1 threads=2 shows=hang finding=deadlock
// FOUND-BY: random pos
// RUN: %show %s
// RUN: %found %s
#include "bug.h"

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int balances[2] = {100, 100};

static void transfer(int from, int to) {
  pthread_mutex_lock(&locks[from]);
  step(from);
  step(from + 2);
  pthread_mutex_lock(&locks[to]);
  balances[from] -= 10;
  balances[to] += 10;
  pthread_mutex_unlock(&locks[to]);
  pthread_mutex_unlock(&locks[from]);
}

static void* there(void* unused) {
  transfer(0, 1);
  return unused;
}

static void* back(void* unused) {
  transfer(1, 0);
  return unused;
}

int main(void) { RUN(there, back); }
