// A child by vfork that becomes another program; the parent goes on being checked.
// STDOUT: from the other program
// EXIT: 6
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
  pid_t child = vfork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "echo from the other program; exit 6", NULL);
    _exit(1);
  }
  int status;
  waitpid(child, &status, 0);
  run_two(first, second);
  return WEXITSTATUS(status);
}
