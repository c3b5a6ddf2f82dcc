// String functions that only read may run side by side.
// NORACE
// RUN: %check %s

#include <string.h>

#include "order.h"

char name[32] = "verdandi";
size_t sums[2];

static size_t reads(void) {
  char copy[32];
  strcpy(copy, name);
  strncat(copy, name, 3);
  return strlen(name) + (strchr(name, 'd') != NULL) + (strcmp(name, copy) == 0) + (strstr(name, "dan") != NULL);
}

static void first(void) { sums[0] = reads(); }

static void second(void) { sums[1] = reads(); }

int main(void) {
  run_two(first, second);
  return sums[0] != sums[1];
}
