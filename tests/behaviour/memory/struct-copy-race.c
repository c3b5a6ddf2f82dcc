// A struct is copied while one of its members is written.
// RUN: %check %s

#include "order.h"

struct Record {
  int key;
  char text[100];
  int value;
};
struct Record record;
struct Record copy;

static void copies(void) {
  copy = record;  // RACE: observed record
  end_turn();
}

static void writes(void) {
  await_turn(1);
  record.value = 1;  // RACE: observed record
}

int main(void) { run_two(copies, writes); }
