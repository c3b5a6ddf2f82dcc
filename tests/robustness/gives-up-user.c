// A server that gives up its user finds races afterwards, when it could no longer open a file for them. (Who is not
// root keeps its user, and has less to lose.)
// STDOUT: still here
// RUN: %check %s
// RUN: %norn-cc -O1 %s -o %t && (%t > %t.out 2> %t.err; test $? -eq 66) && grep 'race on x' %t.err

#include <stdio.h>
#include <unistd.h>

#include "order.h"

int x;

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) {
  if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 1;
  run_two(first, second);
  puts("still here");
  return 0;
}
