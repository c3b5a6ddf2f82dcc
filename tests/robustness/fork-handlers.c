// The program's own fork handlers run, and take its locks as they like.
// NORACE
// STDOUT: prepare parent child
// RUN: %check %s

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "order.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
char* said;
int x;

static void prepare(void) {
  pthread_mutex_lock(&mutex);
  said = "prepare";
}

static void in_parent(void) { pthread_mutex_unlock(&mutex); }

static void in_child(void) { pthread_mutex_unlock(&mutex); }

static void* adds(void* unused) {
  for (int i = 0; i < 1000; i++) {
    pthread_mutex_lock(&mutex);
    x++;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(void) {
  pthread_atfork(prepare, in_parent, in_child);
  pthread_t thread;
  pthread_create(&thread, NULL, adds, NULL);
  pid_t child = fork();
  if (child == 0) {
    adds(NULL);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  pthread_join(thread, NULL);
  printf("%s parent %s\n", said, status == 0 ? "child" : "lost");
  return 0;
}
