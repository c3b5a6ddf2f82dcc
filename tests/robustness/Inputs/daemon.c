// Goes on in the background; races when a file appears.
#include <stdio.h>
#include <unistd.h>

#include "order.h"

int x;

static void first(void) {
  x = 1;
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;
}

int main(void) {
  if (daemon(1, 0) != 0) return 1;
  while (access("go", F_OK) != 0) usleep(10000);
  run_two(first, second);
  rename("go", "gone");
  return 0;
}
