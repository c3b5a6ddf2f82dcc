// What the library writes and frees for code that is cold is looked at, though the same calls run hot elsewhere: by the
// cold function, and by the other thread.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"

enum { kRounds = 50000 };
char* text;
long* number;
volatile size_t length = 40;

static __attribute__((noinline)) void run_hot(void) {
  for (int i = 0; i < kRounds; ++i) {
    char* own = malloc(length);
    memset(own, i, length);
    free(own);
  }
}

static __attribute__((noinline)) void fill(void) { memset(text, 1, length); }  // RACE: observed *text

static __attribute__((noinline)) void drop(void) { free(number); }  // RACE: observed *number

static void first(void) {
  run_hot();
  fill();
  *number = 1;  // RACE: observed *number
  end_turn();
}

static void second(void) {
  run_hot();
  await_turn(1);
  fill();
  drop();
}

int main(void) {
  text = malloc(length);
  number = malloc(sizeof *number);
  run_two(first, second);
}
