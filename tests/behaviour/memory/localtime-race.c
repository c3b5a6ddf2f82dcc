// localtime has one result for all its callers.
// RUN: %check %s

#include <time.h>

#include "order.h"

int years[2];

static void first(void) {
  time_t now = 0;
  years[0] = localtime(&now)->tm_year;  // RACE: observed <result>
  end_turn();
}

static void second(void) {
  time_t now = 1000000000;
  await_turn(1);
  years[1] = localtime(&now)->tm_year;  // RACE: observed <result>
}

int main(void) { run_two(first, second); }
