// The environment is changed while another thread looks at it; strtok remembers where it was for all threads.
// RUN: %check %s

#include <string.h>

#include "order.h"

int seen;

static void first(void) {
  char text[] = "a b";
  setenv("NAME", "value", 1);              // RACE: observed environment
  if (strtok(text, " ") == NULL) abort();  // RACE: observed strtok
  end_turn();
}

static void second(void) {
  char text[] = "c d";
  await_turn(1);
  if (getenv("NAME") != NULL) seen = 1;    // RACE: observed environment
  if (strtok(text, " ") == NULL) abort();  // RACE: observed strtok
}

int main(void) { run_two(first, second); }
