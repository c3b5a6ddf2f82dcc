// A process with running threads forks: parent and child go on being checked, and end as they say.
// STDOUT: the child ended with 7
// EXIT: 3
// RUN: %check %s

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int stop;
long work;
int in_parent, in_child;

static void* works(void* unused) {
  for (int done = 0; !done;) {
    pthread_mutex_lock(&mutex);
    work++;
    done = stop;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static void parent_first(void) {
  in_parent = 1;  // RACE: observed in_parent
  end_turn();
}

static void parent_second(void) {
  await_turn(1);
  in_parent = 2;  // RACE: observed in_parent
  end_turn();
}

static void child_first(void) {
  in_child = 1;  // RACE: observed in_child
  end_turn();
}

static void child_second(void) {
  await_turn(3);
  in_child = 2;  // RACE: observed in_child
}

int main(void) {
  pthread_t workers[2];
  for (int i = 0; i < 2; i++) pthread_create(&workers[i], NULL, works, NULL);
  run_two(parent_first, parent_second);
  pid_t child = fork();
  if (child == 0) {
    run_two(child_first, child_second);
    _exit(7);
  }
  int status;
  waitpid(child, &status, 0);
  pthread_mutex_lock(&mutex);
  stop = 1;
  pthread_mutex_unlock(&mutex);
  for (int i = 0; i < 2; i++) pthread_join(workers[i], NULL);
  printf("the child ended with %d\n", WEXITSTATUS(status));
  return 3;
}
