// A program is started with arguments that another thread wrote, under a mutex that both take (POSIX.1-2017, XBD 4.12).
// RUN: %check %s
// NORACE

#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;
char argument[32] = "one";
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* rename_it(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  argument[0] = 't';
  argument[1] = 'w';
  argument[2] = 'o';
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  char* words[] = {"true", argument, NULL};
  pthread_t thread;
  pid_t child;
  int status;
  if (pthread_create(&thread, NULL, rename_it, NULL) != 0) return 1;
  pthread_mutex_lock(&mutex);
  status = posix_spawn(&child, "/bin/true", NULL, NULL, words, environ);
  pthread_mutex_unlock(&mutex);
  pthread_join(thread, NULL);
  return status != 0 || waitpid(child, &status, 0) != child || status != 0;
}
