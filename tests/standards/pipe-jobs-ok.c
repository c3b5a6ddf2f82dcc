// Jobs go through a pipe as they are: what is read is a copy (POSIX.1-2017, XSH write: up to PIPE_BUF bytes are not
// interleaved), and the sender may use its structure again at once. No memory is shared.
// NORACE
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
  const void* message = &job;
  size_t size = sizeof job;
  job.number = 1;
  if (write(ends[1], message, size) < 0) return NULL;
  // The first has come before the second is made; relaxed, so this orders nothing.
  while (!atomic_load_explicit(&received, memory_order_relaxed)) sched_yield();
  job.number = 2;
  if (write(ends[1], message, size) < 0) return NULL;
  return unused;
}

static void* receives(void* unused) {
  struct job copy;
  if (read(ends[0], &copy, sizeof copy) <= 0) return NULL;
  atomic_store_explicit(&received, 1, memory_order_relaxed);
  sum += copy.number;
  if (read(ends[0], &copy, sizeof copy) <= 0) return NULL;
  sum += copy.number;
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
