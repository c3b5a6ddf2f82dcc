// posix_spawn, system and popen work, and their statuses are their own.
// STDOUT: one 3 two
// RUN: %check %s

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "order.h"

extern char** environ;
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
  run_two(first, second);
  char* command[] = {"sh", "-c", "exit 3", NULL};
  pid_t child;
  int status;
  posix_spawn(&child, "/bin/sh", NULL, NULL, command, environ);
  waitpid(child, &status, 0);
  char line[16] = "";
  FILE* pipe = popen("echo two", "r");
  if (!fgets(line, sizeof line, pipe)) return 1;
  pclose(pipe);
  line[strcspn(line, "\n")] = 0;
  printf("%s %d %s\n", system("exit 1") ? "one" : "none", WEXITSTATUS(status), line);
}
