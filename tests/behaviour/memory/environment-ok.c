// The environment is looked at by all once it is as it should be; strtok_r remembers for each caller.
// NORACE
// RUN: %check %s

#include <string.h>

#include "order.h"

static void looks(void) {
  char text[] = "a b", *rest;
  if (getenv("NAME") == NULL || strtok_r(text, " ", &rest) == NULL) abort();
}

int main(void) {
  setenv("NAME", "value", 1);
  run_two(looks, looks);
  unsetenv("NAME");
}
