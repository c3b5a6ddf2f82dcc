// strcpy writes the zero that strlen looks for.
// RUN: %check %s

#include <string.h>

#include "order.h"

char name[32] = "urd";
const char* new_name = "skuld";
size_t length;

static void renames(void) {
  strcpy(name, new_name);  // RACE: observed name
  end_turn();
}

static void measures(void) {
  await_turn(1);
  length = strlen(name);  // RACE: observed name
}

int main(void) { run_two(renames, measures); }
