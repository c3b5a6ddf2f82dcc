// A server forks children and a thread reaps them; how many live is counted by both, under a mutex (POSIX.1-2017, XBD
// 4.12). The children do nothing but _exit, which is async-signal-safe, as a child of a threaded process must (XSH
// fork).
// NORACE
// RUN: %check %s

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kChildren = 3 };
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int live;

static void* reaps(void* unused) {
  for (int reaped = 0; reaped < kChildren;) {
    if (waitpid(-1, NULL, 0) < 0) {
      sched_yield();  // no child yet
      continue;
    }
    pthread_mutex_lock(&mutex);
    live--;
    pthread_mutex_unlock(&mutex);
    reaped++;
  }
  return unused;
}

int main(void) {
  pthread_t reaper;
  pthread_create(&reaper, NULL, reaps, NULL);
  for (int i = 0; i < kChildren; i++) {
    pid_t child = fork();
    if (child < 0) _exit(1);
    if (child == 0) _exit(0);
    pthread_mutex_lock(&mutex);
    live++;
    pthread_mutex_unlock(&mutex);
  }
  pthread_join(reaper, NULL);
  return live != 0;
}
