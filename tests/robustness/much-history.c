// What two threads have read under many locks takes more memory than there may be: what is oldest is forgotten, and
// that is said. The program does what it does, what is new is found, and what was written long ago still orders.
// OPTIONS: --memory-limit=32
// STDOUT: 9437056
// RUN: %check %s --levels=-O2
// RUN: %norn-cc -O2 %s -o %t && %norn run --history=full --memory-limit=32 -- %t 2>%t.err; test $? -eq 66
// RUN: grep 'the oldest history of accesses is forgotten' %t.err
// RUN: %norn run -- %t 2>%t.err; test $? -eq 66; ! grep forgotten %t.err
// RUN: clang-19 -D_GNU_SOURCE -g -pthread -O2 -I %S/../behaviour %s -o %t && %norn run --history=full --memory-limit=32 -- %t 2>%t.err; test $? -eq 66
// RUN: grep 'the oldest history of accesses is forgotten' %t.err && grep '1 race (1 observed' %t.err

#include <stdio.h>

#include "order.h"

enum { kWords = 72 * 1024, kLocks = 8, kStretch = 64 };

long words[kWords];
pthread_mutex_t locks[kLocks];
pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER;
long sums[2];
long early;   // written before anything else, by the first thread
long handed;  // so is this
long late;
// Say so: one that is waited for, one under a lock. What lies beside them is read under many.
struct {
  _Alignas(8) volatile int set;
  int beside;
} flag, in_queue;

static void read_all(long* sum) {
  for (int start = 0; start < kWords; start += kStretch) {
    for (int lock = 0; lock < kLocks; lock++) {
      pthread_mutex_lock(&locks[lock]);
      for (int i = start; i < start + kStretch; i++) *sum += words[i];
      if (start == 0) *sum += flag.beside + in_queue.beside;
      pthread_mutex_unlock(&locks[lock]);
    }
  }
}

static void first(void) {
  early = 1;
  flag.set = 1;
  handed = 1;
  pthread_mutex_lock(&queue);
  in_queue.set = 1;
  pthread_mutex_unlock(&queue);
  read_all(&sums[0]);
  late = 1;  // RACE: observed late
  end_turn();
}

static void second(void) {
  read_all(&sums[1]);
  await_turn(1);
  while (!flag.set) {
  }
  early++;
  pthread_mutex_lock(&queue);
  const int there = in_queue.set;
  pthread_mutex_unlock(&queue);
  if (there) handed++;
  late++;  // RACE: observed late
}

int main(void) {
  for (int i = 0; i < kWords; i++) words[i] = i % 17;
  for (int i = 0; i < kLocks; i++) pthread_mutex_init(&locks[i], NULL);
  run_two(first, second);
  printf("%ld\n", sums[0] + sums[1]);
}
