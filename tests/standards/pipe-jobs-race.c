// Through a pipe go pointers to jobs, and the sender uses its structure again as soon as write has returned. What comes
// after the write is not ordered with what the receiver does after its read (POSIX.1-2017, XBD 4.12: access by more
// than one thread shall be restricted so that none reads what another may be modifying).
// RUN: %check %s

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

struct job {
  int number;
  int priority;
};

int ends[2];
struct job job;
atomic_int received;
int sum;

static void* sends(void* unused) {
  struct job* pointer = &job;
  const void* message = &pointer;
  size_t size = sizeof pointer;
  job.number = 1;
  if (write(ends[1], message, size) < 0) return NULL;
  // The first has come before the second is made; relaxed, so this orders nothing.
  while (!atomic_load_explicit(&received, memory_order_relaxed)) sched_yield();
  job.number = 2;  // RACE: observed job
  if (write(ends[1], message, size) < 0) return NULL;
  return unused;
}

static void* receives(void* unused) {
  struct job* pointer;
  if (read(ends[0], &pointer, sizeof pointer) <= 0) return NULL;
  atomic_store_explicit(&received, 1, memory_order_relaxed);
  sum += pointer->number;  // RACE: observed job
  if (read(ends[0], &pointer, sizeof pointer) <= 0) return NULL;
  sum += pointer->number;
  return unused;
}

int main(void) {
  pthread_t sender, receiver;
  if (pipe(ends) != 0) return 1;
  pthread_create(&sender, NULL, sends, NULL);
  pthread_create(&receiver, NULL, receives, NULL);
  pthread_join(sender, NULL);
  pthread_join(receiver, NULL);
  return sum < 3;
}
