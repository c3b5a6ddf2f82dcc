// A server forks children and a thread reaps them; how many live is counted by both, without a lock. main counts after
// fork has returned. fork and waitpid synchronize memory (POSIX.1-2017, XBD 4.12), but the last increment comes after
// the last fork, and nothing orders it with the thread that waits for that child.
// RUN: %check %s

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kChildren = 3 };
int live;

static void* reaps(void* unused) {
  for (int reaped = 0; reaped < kChildren;) {
    if (waitpid(-1, NULL, 0) < 0) {
      sched_yield();  // no child yet
      continue;
    }
    live--;  // RACE: observed live
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
    live++;  // RACE: observed live
  }
  pthread_join(reaper, NULL);
  return live < -kChildren || live > kChildren;
}
