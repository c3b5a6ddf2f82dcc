// Line 19: a process with threads forks, twice; the children start threads, race, fork again and end as they say.
// STDOUT: 7 8
// RUN: %check %s

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

int in_child, in_grandchild;
volatile int stop;

__attribute__((no_sanitize("thread"))) static void* spins(void* unused) {
  while (!stop) usleep(1000);
  return unused;
}

static void child_first(void) {
  in_child = 1;  // RACE: observed in_child
  end_turn();
}

static void child_second(void) {
  await_turn(1);
  in_child = 2;  // RACE: observed in_child
  end_turn();
}

static void grandchild_first(void) {
  in_grandchild = 1;  // RACE: observed in_grandchild
  end_turn();
}

static void grandchild_second(void) {
  await_turn(3);
  in_grandchild = 2;  // RACE: observed in_grandchild
}

static int status_of(pid_t child) {
  int status;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

__attribute__((no_sanitize("thread"))) static void tell_to_stop(void) { stop = 1; }

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, spins, NULL);
  pid_t child = fork();
  if (child == 0) {
    run_two(child_first, child_second);
    pid_t grandchild = fork();
    if (grandchild == 0) {
      run_two(grandchild_first, grandchild_second);
      _exit(6);
    }
    _exit(status_of(grandchild) + 1);
  }
  int status = status_of(child);
  pid_t quiet = fork();
  if (quiet == 0) _exit(8);
  int quiet_status = status_of(quiet);
  tell_to_stop();
  pthread_join(thread, NULL);
  printf("%d %d\n", status, quiet_status);
}
