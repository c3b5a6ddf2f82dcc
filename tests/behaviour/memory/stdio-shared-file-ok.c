// A FILE protects itself: any thread may print to it.
// NORACE
// STDOUT: ab
// STDOUT: ab
// STDOUT: cd
// STDOUT: cd
// RUN: %check %s

#include <stdio.h>

#include "order.h"

static void first(void) {
  for (int i = 0; i < 2; i++) printf("a%s\n", "b");
  end_turn();
}

static void second(void) {
  await_turn(1);
  for (int i = 0; i < 2; i++) {
    fputs("c", stdout);
    fputc('d', stdout);
    puts("");
  }
}

int main(void) { run_two(first, second); }
