// Time is virtual: who sleeps for days ends at once, and in the order of the clock; so does who waits for the clock.
// RUN: %norn-cc %s -o %t
// RUN: for strategy in random pct pos rr; do NORN_OPTIONS=schedule=$strategy:seed=7 timeout 60 %t | FileCheck %s || exit 1; done
// CHECK: an hour
// CHECK-NEXT: a day
// CHECK-NEXT: late
// CHECK-NEXT: 3 days

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { kHour = 3600, kDay = 24 * kHour };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void* sleeps_an_hour(void* unused) {
  sleep(kHour);
  puts("an hour");
  return unused;
}

static void* sleeps_a_day(void* unused) {
  const struct timespec day = {kDay, 0};
  nanosleep(&day, 0);
  puts("a day");
  return unused;
}

static void* is_late(void* unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 2 * kDay;
  pthread_mutex_lock(&mutex);
  assert(pthread_cond_timedwait(&condition, &mutex, &until) == ETIMEDOUT);
  pthread_mutex_unlock(&mutex);
  puts("late");
  return unused;
}

int main(void) {
  const time_t begin = time(0);
  pthread_t a, b, c;
  pthread_create(&a, 0, is_late, 0);
  pthread_create(&b, 0, sleeps_a_day, 0);
  pthread_create(&c, 0, sleeps_an_hour, 0);
  sleep(3 * kDay);
  printf("%ld days\n", (long)((time(0) - begin) / kDay));
  pthread_join(a, 0);
  pthread_join(b, 0);
  pthread_join(c, 0);
  return 0;
}
