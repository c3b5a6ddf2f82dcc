// A thread sets a variable of the environment while another reads one. getenv need not be thread-safe (POSIX.1-2017,
// XSH 2.9.1), and conflicting accesses to the environment by setenv are its named danger (XSH getenv, setenv): the list
// that setenv changes is the list that getenv walks, and nothing orders the two.
// RUN: %check %s

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

const char* home;
atomic_int asked;

static void* reads(void* unused) {
  home = getenv("HOME");  // RACE: observed <environment>
  atomic_store_explicit(&asked, 1, memory_order_relaxed);
  return unused;
}

static void* works(void* unused) {
  // The read comes first, so that it is harmless; relaxed, so this orders nothing.
  while (!atomic_load_explicit(&asked, memory_order_relaxed)) sched_yield();
  setenv("STANDARDS_TEST", "1", 1);  // RACE: observed <environment>
  return unused;
}

int main(void) {
  pthread_t reader, worker;
  pthread_create(&reader, NULL, reads, NULL);
  pthread_create(&worker, NULL, works, NULL);
  pthread_join(reader, NULL);
  pthread_join(worker, NULL);
  return getenv("STANDARDS_TEST") == NULL;
}
