// Parent and child have their own copies of everything.
// NORACE
// RUN: %check %s

#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

int x;

static void* adds(void* unused) {
  x++;
  return unused;
}

int main(void) {
  pid_t child = fork();
  pthread_t thread;
  x++;
  pthread_create(&thread, NULL, adds, NULL);
  pthread_join(thread, NULL);
  if (child == 0) _exit(x != 2);
  int status;
  waitpid(child, &status, 0);
  return x != 2 || WEXITSTATUS(status);
}
