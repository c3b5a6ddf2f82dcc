// Work is announced by an eventfd, and how much there is stands in a plain variable beside it. The second announcement
// is made when the first was read, and nothing orders it with what the reader does then (POSIX.1-2017, XBD 4.12; C11
// 5.1.2.4p25): the increment and the decrement race.
// RUN: %check %s

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int announcements;
long pending;
atomic_int was_read;
long done;

static void announce(void) {
  uint64_t one = 1;
  if (write(announcements, &one, sizeof one) != sizeof one) _exit(1);
}

static void* produces(void* unused) {
  pending++;
  announce();
  // The first is read before the second; relaxed, so this orders nothing.
  while (!atomic_load_explicit(&was_read, memory_order_relaxed)) sched_yield();
  pending++;  // RACE: observed pending
  announce();
  return unused;
}

static void* consumes(void* unused) {
  uint64_t count;
  if (read(announcements, &count, sizeof count) != sizeof count) _exit(1);
  atomic_store_explicit(&was_read, 1, memory_order_relaxed);
  pending--;  // RACE: observed pending
  done++;
  return unused;
}

int main(void) {
  pthread_t producer, consumer;
  announcements = eventfd(0, 0);
  if (announcements < 0) return 1;
  pthread_create(&producer, NULL, produces, NULL);
  pthread_create(&consumer, NULL, consumes, NULL);
  pthread_join(producer, NULL);
  pthread_join(consumer, NULL);
  return done != 1;
}
