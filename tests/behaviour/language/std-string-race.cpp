// A string's character is changed while another thread reads it.
// RUN: %check %s

#include <string>

#include "order.h"

std::string name = "a name that is too long to lie inside the string itself";
char seen;

static void changes() {
  name[0] = 'A';  // RACE: observed <name>
  end_turn();
}

static void reads() {
  await_turn(1);
  seen = name[0];  // RACE: observed <name>
}

int main() { run_two(changes, reads); }
