// A thread that may only read, write and end itself.
// STDOUT: it ended
// RUN: %check %s
// RUN: %norn-cc -O1 %s -o %t && (%t > %t.out 2> %t.err; test $? -eq 66) && grep 'race on x' %t.err

#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "order.h"

int x;

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) return;
  x = 2;  // RACE: observed x
  syscall(SYS_exit, 0);
}

int main(void) {
  run_two(first, second);
  puts("it ended");
  return 0;
}
