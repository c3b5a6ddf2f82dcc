// The kernel writes what another thread wrote: when the write is told, it is done.
#include <unistd.h>

#include "order.h"

char letter;
int ends[2];

static void first(void) {
  letter = 'x';
  end_turn();
}

static void second(void) {
  await_turn(1);
  if (read(ends[0], &letter, 1) != 1) _exit(3);
}

int main(void) {
  if (pipe(ends) != 0 || write(ends[1], "y", 1) != 1) return 3;
  run_two(first, second);
  return 0;
}
