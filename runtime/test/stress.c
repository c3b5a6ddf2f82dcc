// Everything at once for some seconds: allocation, locks, signals to every thread, forks whose children start threads.
// It must come to its end, with no race reported and every child's status its own.
//
//   stress [SECONDS]
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kWorkers = 4, kChildStatus = 7 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared;
static atomic_int handled;
static atomic_bool stop;

static void handle(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}

static void* work(void* seed) {
  unsigned random = (unsigned)(size_t)seed;
  while (!atomic_load(&stop)) {
    random = random * 1103515245 + 12345;
    char* block = malloc(random % 5000);
    block = realloc(block, (random >> 8) % 9000 + 1);
    block[0] = 1;
    pthread_mutex_lock(&mutex);
    shared++;
    pthread_mutex_unlock(&mutex);
    free(block);
  }
  return NULL;
}

static void be_a_child(void) {
  // Whoever held it does not exist here.
  pthread_mutex_init(&mutex, NULL);
  free(malloc(100));
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, (void*)1) == 0) {
    usleep(1000);
    atomic_store(&stop, 1);
    pthread_join(thread, NULL);
  }
  _exit(kChildStatus);
}

static void* fork_children(void* unused) {
  while (!atomic_load(&stop)) {
    const pid_t child = fork();
    if (child == 0) be_a_child();
    if (child < 0) continue;
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != kChildStatus) {
      fprintf(stderr, "a child ended with status %x\n", (unsigned)status);
      abort();
    }
  }
  return unused;
}

int main(int count, char** arguments) {
  const int seconds = count > 1 ? atoi(arguments[1]) : 5;
  signal(SIGUSR1, handle);
  pthread_t workers[kWorkers];
  pthread_t forker;
  for (size_t i = 0; i < kWorkers; i++) pthread_create(&workers[i], NULL, work, (void*)i);
  pthread_create(&forker, NULL, fork_children, NULL);
  const time_t end = time(NULL) + seconds;
  for (size_t i = 0; time(NULL) < end; i++) {
    pthread_kill(workers[i % kWorkers], SIGUSR1);
    usleep(50);
  }
  atomic_store(&stop, 1);
  for (size_t i = 0; i < kWorkers; i++) pthread_join(workers[i], NULL);
  pthread_join(forker, NULL);
  puts(atomic_load(&handled) > 0 && shared > 0 ? "done" : "nothing happened");
}
