// A server changes its root to an empty directory, and forks there: what it finds and what its child finds is kept.
// (Who is not root only forks.)
// STDOUT: still here
// RUN: %check %s
// RUN: %norn-cc -O1 %s -o %t && (%t > %t.out 2> %t.err; test $? -eq 66) && grep 'race on x' %t.err

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

int x, y;

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

static void first_of_child(void) {
  await_turn(2);
  y = 1;  // RACE: observed y
  end_turn();
}

static void second_of_child(void) {
  await_turn(3);
  y = 2;  // RACE: observed y
}

int main(void) {
  char empty[] = "/tmp/norn-empty-XXXXXX";
  if (geteuid() == 0) {
    if (mkdtemp(empty) == NULL || chdir(empty) != 0 || rmdir(empty) != 0 || chroot(".") != 0) return 1;
  }
  run_two(first, second);
  end_turn();
  const pid_t child = fork();
  if (child == 0) {
    run_two(first_of_child, second_of_child);
    _exit(0);
  }
  int status = 1;
  waitpid(child, &status, 0);
  puts("still here");
  return WEXITSTATUS(status);
}
