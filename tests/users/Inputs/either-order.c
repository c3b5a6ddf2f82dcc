// One race; the argument says whether `first` or `second` comes first. The block moves from run to run.
#include <stdlib.h>
#include <unistd.h>

#include "order.h"

int* block;
int turn_of_first, turn_of_second;

static void first(void) {
  await_turn(turn_of_first);
  block[1] = 1;
  end_turn();
}

static void second(void) {
  await_turn(turn_of_second);
  block[1] = 2;
  end_turn();
}

int main(int count, char** arguments) {
  int reversed = count > 1 && arguments[1][0] == 'b';
  turn_of_first = reversed;
  turn_of_second = !reversed;
  block = malloc(64 + 16 * (size_t)(getpid() % 64));
  run_two(first, second);
}
