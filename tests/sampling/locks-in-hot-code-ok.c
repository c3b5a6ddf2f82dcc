// Locks in code that runs hot: exclusive and shared, nested, made anew at the same place, and one that a thread tries
// until it is refused.
// STDOUT: 30000 20000 1000
// NORACE

#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "order.h"

enum { kRounds = 10000, kTurns = 1000 };
pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
long entries[4];
long read_back;
long nested;

static void use_table(void) {
  for (int i = 0; i < kRounds; ++i) {
    if (i % 4 == 0) {
      pthread_rwlock_wrlock(&table);
      entries[i / 4 % 4] += 6;
      pthread_rwlock_unlock(&table);
    } else {
      pthread_rwlock_rdlock(&table);
      const long seen = entries[i % 4];
      pthread_rwlock_unlock(&table);
      if (seen < 0) sched_yield();
    }
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    ++nested;
    pthread_mutex_unlock(&outer);
    pthread_mutex_unlock(&inner);
  }
}

// In turns, each with a lock of its own at the same place.
pthread_mutex_t anew;
long turns;
volatile int whose;

static void make_anew(int self) {
  for (int i = 0; i < kTurns / 2; ++i) {
    while (whose != self) sched_yield();
    pthread_mutex_init(&anew, 0);
    pthread_mutex_lock(&anew);
    ++turns;
    pthread_mutex_unlock(&anew);
    pthread_mutex_destroy(&anew);
    whose = 1 - self;
  }
}

static void first(void) {
  use_table();
  make_anew(0);
}
static void second(void) {
  use_table();
  make_anew(1);
}

int main(void) {
  run_two(first, second);
  printf("%ld %ld %ld\n", entries[0] + entries[1] + entries[2] + entries[3], nested, turns);
}
