// One thread finds what the other wrote.
#include "order.h"

int answer;

static void first(void) {
  answer = 42;
  end_turn();
}

static void second(void) {
  await_turn(1);
  answer = 7;
}

int main(void) { run_two(first, second); }
