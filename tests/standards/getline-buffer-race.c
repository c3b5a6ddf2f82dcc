// Two threads read a line of a file each by getline into one buffer, whose pointer, size and bytes the function writes
// (POSIX.1-2017, XSH getdelim). Nothing orders the calls (XBD 4.12).
// RUN: %check %s

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static FILE* files[2];
static char* line;
static size_t size;
static long lengths[2];
static atomic_int turn;

static void reads(int self) {
  lengths[self] = getline(&line, &size, files[self]);  // RACE: observed <line>
}

static void* first(void* unused) {
  reads(0);
  atomic_store_explicit(&turn, 1, memory_order_relaxed);
  return unused;
}

static void* second(void* unused) {
  // One after the other, so that the buffer is not allocated twice; relaxed, so nothing is ordered.
  while (atomic_load_explicit(&turn, memory_order_relaxed) == 0) sched_yield();
  reads(1);
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) {
    files[i] = tmpfile();
    if (files[i] == NULL) return 1;
    fputs("one line\n", files[i]);
    rewind(files[i]);
  }
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  free(line);
  return lengths[0] != 9 || lengths[1] != 9;
}
