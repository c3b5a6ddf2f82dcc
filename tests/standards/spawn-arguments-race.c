// A program is started while another thread writes one of its arguments. posix_spawn reads the strings that argv points
// to before it returns (POSIX.1-2017, XSH posix_spawn); nothing orders that and the write (XBD 4.12).
// RUN: %check %s

#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
char argument[32] = "one";

static void* rename_it(void* unused) {
  (void)unused;
  argument[0] = 't';  // RACE: observed argument
  return NULL;
}

int main(void) {
  char* words[] = {"true", argument, NULL};
  pthread_t thread;
  pid_t child;
  int status;
  if (pthread_create(&thread, NULL, rename_it, NULL) != 0) return 1;
  status = posix_spawn(&child, "/bin/true", NULL, NULL, words, environ);  // RACE: observed argument
  pthread_join(thread, NULL);
  return status != 0 || waitpid(child, &status, 0) != child || status != 0;
}
