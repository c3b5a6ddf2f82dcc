// A hook never deadlocks and never uses the program's heap: threads allocate, lock, race and throw signals at each
// other while others fork children that do the same. usage: hook_stress SECONDS. Ends with status 0 and the line
// "done" if every child ended well; races are intended and reported by norn.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds = 1;
static struct timespec began;
static int racy;
static volatile sig_atomic_t signals_seen;
static atomic_int handled;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char* shared[64];

static double elapsed(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - began.tv_sec) + (double)(now.tv_nsec - began.tv_nsec) * 1e-9;
}

static void handler(int number) {
  (void)number;
  ++signals_seen;
  racy = signals_seen;
  atomic_fetch_add_explicit(&handled, 1, memory_order_relaxed);
}

static void* churn(void* argument) {
  unsigned random = (unsigned)(size_t)argument * 2654435761u + 1;
  while (elapsed() < seconds) {
    for (int i = 0; i < 200; ++i) {
      random = random * 1664525u + 1013904223u;
      const size_t size = random >> 8 & 0xfff;
      char* block = malloc(size + 1);
      memset(block, (int)i, size + 1);
      pthread_mutex_lock(&mutex);
      char* old = shared[random >> 26];
      shared[random >> 26] = block;
      pthread_mutex_unlock(&mutex);
      free(old);
      racy += (int)size;
    }
  }
  return NULL;
}

static void* signal_others(void* argument) {
  pthread_t* others = argument;
  const struct timespec pause = {0, 200000};
  while (elapsed() < seconds) {
    for (int i = 0; i < 3; ++i) pthread_kill(others[i], SIGUSR1);
    nanosleep(&pause, NULL);
  }
  return NULL;
}

static void* nothing(void* argument) {
  char* block = malloc(100);
  block[5] = 1;
  free(block);
  return argument;
}

// What a child of a threaded process may do, and a little more.
static int child(void) {
  for (int i = 0; i < 20; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) == 0) pthread_join(thread, NULL);
    free(malloc(1000));
  }
  return 7;
}

int main(int count, char** values) {
  if (count > 1) seconds = atof(values[1]);
  clock_gettime(CLOCK_MONOTONIC, &began);
  struct sigaction action = {0};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, NULL);
  sigaction(SIGALRM, &action, NULL);
  const struct itimerval timer = {{0, 700}, {0, 700}};
  setitimer(ITIMER_REAL, &timer, NULL);

  pthread_t threads[4];
  for (size_t i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, churn, (void*)i);
  pthread_create(&threads[3], NULL, signal_others, threads);
  int forks = 0;
  while (elapsed() < seconds) {
    const pid_t pid = fork();
    if (pid == 0) {
      alarm(20);
      _exit(child());
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 7) {
      printf("a child ended with status %#x\n", (unsigned)status);
      return 1;
    }
    ++forks;
  }
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  const struct itimerval off = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &off, NULL);
  printf("done\n");
  return forks > 0 && signals_seen > 0 ? 0 : 1;
}
