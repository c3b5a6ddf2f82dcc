// A forked child runs free, with threads of its own; an exec in it too. Only the first process is controlled.
// RUN: %norn-cc %s -o %t && %harmless
// RUN: %replays 2 %t

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void* adds(void* unused) {
  for (int i = 0; i < 20; i++) {
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static void run_threads(void) {
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, adds, 0);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
}

int main(int argc, char** argv) {
  if (argc > 1) {
    run_threads();
    return count == 60 ? 0 : 1;
  }
  pthread_t other;
  pthread_create(&other, 0, adds, 0);
  pthread_mutex_lock(&mutex);
  const pid_t child = fork();
  if (child == 0) {
    pthread_mutex_unlock(&mutex);
    run_threads();
    execl(argv[0], argv[0], "again", (char*)0);
    _exit(3);
  }
  pthread_mutex_unlock(&mutex);
  pthread_join(other, 0);
  int status = 0;
  assert(waitpid(child, &status, 0) == child && status == 0);
  assert(count == 20);
  puts("done");
  return 0;
}
