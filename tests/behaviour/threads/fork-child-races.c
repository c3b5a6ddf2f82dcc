// The child of a fork is checked too: its threads race, the parent's do not.
// EXIT: 3
// RUN: %check %s

#include <sys/wait.h>
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
  pid_t child = fork();
  if (child == 0) {
    run_two(first, second);
    _exit(3);
  }
  int status;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}
