// A FILE does not protect what is printed to it.
// RUN: %check %s

#include <stdio.h>

#include "order.h"

char word[16] = "one";
FILE* sink;

static void prints(void) {
  fprintf(sink, "%d %s\n", 1, word);  // RACE: observed word
  end_turn();
}

static void changes(void) {
  await_turn(1);
  word[0] = 'O';  // RACE: observed word
}

int main(void) {
  sink = fopen("/dev/null", "w");
  run_two(prints, changes);
  fclose(sink);
}
