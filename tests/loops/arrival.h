// Lets waiters and their counterparts meet in the order that the program's first argument says:
//
//   counterpart   the counterparts have done all they do before a waiter begins (signals are lost, loops never spin);
//   waiter        the waiters wait (they spin, or are blocked) before a counterpart begins.
//
// Like order.h, by system calls alone, so that no detector takes it for synchronization: a waiter leaves its number in
// the position of a file, and a counterpart looks at that thread's clock and state.
#pragma once

#include "order.h"

enum { kMostWaiters = 4 };
enum { kNornTestOpen = 2, kNornTestRead = 0, kNornTestClose = 3, kNornTestNanosleep = 35, kNornTestGettid = 186 };
enum { kNornTestClockGettime = 228 };
enum { kNornTestSeekStart = 0 };

static int norn_test_counterpart_first;
static int norn_test_numbers[kMostWaiters];

// Runs before main, with main's arguments (as glibc calls it): there is one thread then.
__attribute__((constructor(102))) NORN_TEST_INVISIBLE void norn_test_read_arrival(int count, char** words, char** env) {
  (void)env;
  norn_test_counterpart_first = count > 1 && words[1][0] == 'c';
  for (int i = 0; i < kMostWaiters; ++i) norn_test_numbers[i] = memfd_create("number", 0);
}

NORN_TEST_INVISIBLE void norn_test_nap(void) {
  const long time[2] = {0, 500000};
  norn_test_syscall(kNornTestNanosleep, (long)time, 0, 0);
}

// The processor time of a thread in nanoseconds; -1 when it has ended.
NORN_TEST_INVISIBLE long norn_test_thread_time(long number) {
  long time[2] = {0, 0};
  const long clock = (~number << 3) | 6;  // man 3 pthread_getcpuclockid: per thread, scheduled time
  if (norn_test_syscall(kNornTestClockGettime, (int)clock, (long)time, 0) != 0) return -1;
  return time[0] * 1000000000 + time[1];
}

NORN_TEST_INVISIBLE int norn_test_sleeps(long number) {
  char path[64] = "/proc/self/task/";
  char digits[24];
  int length = 16, count = 0;
  for (long rest = number; rest > 0; rest /= 10) digits[count++] = (char)('0' + rest % 10);
  while (count > 0) path[length++] = digits[--count];
  const char tail[] = "/stat";
  for (int i = 0; i < 6; ++i) path[length++] = tail[i];
  char text[256];
  const long file = norn_test_syscall(kNornTestOpen, (long)path, 0, 0);
  if (file < 0) return 1;  // it has ended
  const long size = norn_test_syscall(kNornTestRead, file, (long)text, sizeof(text));
  norn_test_syscall(kNornTestClose, file, 0, 0);
  long at = size - 1;
  while (at > 0 && text[at] != ')') --at;
  return at > 0 && at + 2 < size && text[at + 2] == 'S';
}

// Returns when the waiter has been running its loop for a while, is blocked, or has ended.
NORN_TEST_INVISIBLE void norn_test_await_waiting(int waiter) {
  enum { kSpun = 500000, kStill = 5 };
  if (norn_test_unordered) return;
  long number;
  while ((number = norn_test_syscall(kNornTestLseek, norn_test_numbers[waiter], 0, kNornTestSeekCurrent)) == 0)
    norn_test_nap();
  const long began = norn_test_thread_time(number);
  long last = began;
  for (int still = 0; still < kStill;) {
    norn_test_nap();
    const long now = norn_test_thread_time(number);
    if (now < 0 || now - began >= kSpun) return;
    still = now == last && norn_test_sleeps(number) ? still + 1 : 0;
    last = now;
  }
}

// Keeps the compiler from moving accesses over a volatile flag; on x86 nothing else would.
#define compiler_barrier() __asm__ volatile("" ::: "memory")

typedef void (*Body)(void);

typedef struct {
  Body body;
  int number;     // of the waiter
  int of_others;  // how many there are on the other side
} NornTestPart;

static __attribute__((unused)) void* norn_test_wait(void* part) {
  const NornTestPart mine = *(NornTestPart*)part;
  if (norn_test_counterpart_first)
    await_turn(mine.of_others);
  else
    norn_test_syscall(kNornTestLseek, norn_test_numbers[mine.number], norn_test_syscall(kNornTestGettid, 0, 0, 0),
                      kNornTestSeekStart);
  mine.body();
  return NULL;
}

static __attribute__((unused)) void* norn_test_counter(void* part) {
  const NornTestPart mine = *(NornTestPart*)part;
  for (int i = 0; !norn_test_counterpart_first && i < mine.of_others; ++i) norn_test_await_waiting(i);
  mine.body();
  if (norn_test_counterpart_first) end_turn();
  return NULL;
}

// Runs them all, each in a thread of its own, in the order of arrival that is asked for, and waits for their ends.
static __attribute__((unused)) void meet_many(const Body* waiters, int waiter_count, const Body* counterparts,
                                              int counterpart_count) {
  NornTestPart parts[2 * kMostWaiters];
  pthread_t threads[2 * kMostWaiters];
  const int count = waiter_count + counterpart_count;
  for (int i = 0; i < count; ++i) {
    const int waits = i < waiter_count;
    parts[i].body = waits ? waiters[i] : counterparts[i - waiter_count];
    parts[i].number = i;
    parts[i].of_others = waits ? counterpart_count : waiter_count;
    pthread_create(&threads[i], NULL, waits ? norn_test_wait : norn_test_counter, &parts[i]);
  }
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}

static __attribute__((unused)) void meet(Body waiter, Body counterpart) { meet_many(&waiter, 1, &counterpart, 1); }

static __attribute__((unused)) void meet_two(Body waiter, Body counterpart, Body other) {
  const Body counterparts[] = {counterpart, other};
  meet_many(&waiter, 1, counterparts, 2);
}

// Runs the bodies, each in a thread of its own, as they come.
static __attribute__((unused)) void run_many(const Body* bodies, int count) {
  pthread_t threads[2 * kMostWaiters];
  for (int i = 0; i < count; ++i) pthread_create(&threads[i], NULL, norn_test_call, (void*)bodies[i]);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
}
