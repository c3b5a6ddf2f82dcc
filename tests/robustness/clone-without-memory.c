// A child that clone() makes with a copy of the memory is a fork: made while other threads are at work, it goes on
// being checked, and what it does to its copy is no race with its parent.
// STDOUT: 40 children
// RUN: %check %s

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

atomic_int stop;
int x, y, z;
char stack[1 << 18];

static void* works(void* own) {
  while (!atomic_load(&stop)) {
    for (int i = 0; i < 100; i++) ++*(long*)own;
    free(malloc(100));
  }
  return NULL;
}

static void first(void) {
  x = 1;  // RACE: observed x
  end_turn();
}

static void second(void) {
  await_turn(1);
  x = 2;  // RACE: observed x
}

static int child(void* number) {
  y = *(int*)number;  // the child's copy
  z++;
  free(malloc(100));
  return y == 7 && z == 1 ? 3 : 4;
}

static int is_three(pid_t pid) {
  int status = 0;
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 3;
}

int main(void) {
  pthread_t threads[2];
  long own[2] = {0, 0};
  run_two(first, second);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, works, &own[i]);
  int done = 0, number = 7;
  for (int i = 0; i < 20; i++) {
    done += is_three(clone(child, stack + sizeof stack, SIGCHLD, &number));
    pid_t pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) _exit(child(&number));
    done += is_three(pid);
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  printf("%d children\n", done);
}
