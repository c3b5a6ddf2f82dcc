// Library: pthread_once.
// NORACE
// RUN: %check %s

#include "arrival.h"

pthread_once_t once = PTHREAD_ONCE_INIT;
int table;
int seen[2];

static void fill(void) { table = 7; }

static void first(void) {
  pthread_once(&once, fill);
  seen[0] = table;
}

static void second(void) {
  pthread_once(&once, fill);
  seen[1] = table;
}

int main(void) { run_two(first, second); }
