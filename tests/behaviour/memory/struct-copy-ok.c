// A struct is copied by both threads, each to a place of its own.
// NORACE
// RUN: %check %s

#include "order.h"

struct Record {
  int key;
  char text[100];
  int value;
};
struct Record record = {1, "one", 2};
struct Record copies[2];

static void first(void) { copies[0] = record; }

static void second(void) { copies[1] = record; }

int main(void) {
  run_two(first, second);
  return copies[0].value + copies[1].value != 4;
}
