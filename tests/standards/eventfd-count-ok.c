// Work is announced by an eventfd, and how much there is comes from it: read returns the sum of what was written
// (eventfd(2)). No memory is shared (POSIX.1-2017, XBD 4.12 asks for no more).
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int announcements;
atomic_int was_read;
long done;

static void announce(void) {
  uint64_t one = 1;
  if (write(announcements, &one, sizeof one) != sizeof one) _exit(1);
}

static void* produces(void* unused) {
  announce();
  // The first is read before the second; relaxed, so this orders nothing.
  while (!atomic_load_explicit(&was_read, memory_order_relaxed)) sched_yield();
  announce();
  return unused;
}

static void* consumes(void* unused) {
  uint64_t count;
  if (read(announcements, &count, sizeof count) != sizeof count) _exit(1);
  atomic_store_explicit(&was_read, 1, memory_order_relaxed);
  done += (long)count;
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
