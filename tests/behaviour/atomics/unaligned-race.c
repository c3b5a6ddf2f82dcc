// A number that straddles two words; the other thread writes its last byte.
// RUN: %check %s

#include "order.h"

struct __attribute__((packed)) {
  char pad[6];
  int number;
  char rest[6];
} record;

static void whole(void) {
  record.number = 1;  // RACE: observed number
  end_turn();
}

static void last_byte(void) {
  await_turn(1);
  ((char*)&record)[9] = 2;  // RACE: observed number
}

int main(void) { run_two(whole, last_byte); }
