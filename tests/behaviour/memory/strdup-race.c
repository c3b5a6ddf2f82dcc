// strdup reads what another thread then writes.
// RUN: %check %s

#include <stdlib.h>
#include <string.h>

#include "order.h"

char name[32] = "urd";
char* copy;

static void copies(void) {
  copy = strdup(name);  // RACE: observed name
  end_turn();
}

static void renames(void) {
  await_turn(1);
  name[1] = 'n';  // RACE: observed name
}

int main(void) {
  run_two(copies, renames);
  free(copy);
}
