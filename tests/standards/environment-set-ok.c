// The environment is set before the threads start, which only read it. pthread_create orders (POSIX.1-2017, XBD 4.12),
// and getenv is safe as long as nobody modifies the environment (XSH getenv).
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

const char* home;
atomic_int asked;

static void* reads(void* unused) {
  home = getenv("HOME");
  atomic_store_explicit(&asked, 1, memory_order_relaxed);
  return unused;
}

static void* works(void* unused) {
  // The read comes first, so that it is harmless; relaxed, so this orders nothing.
  while (!atomic_load_explicit(&asked, memory_order_relaxed)) sched_yield();
  return unused;
}

int main(void) {
  pthread_t reader, worker;
  setenv("STANDARDS_TEST", "1", 1);
  pthread_create(&reader, NULL, reads, NULL);
  pthread_create(&worker, NULL, works, NULL);
  pthread_join(reader, NULL);
  pthread_join(worker, NULL);
  return getenv("STANDARDS_TEST") == NULL;
}
