// Home-made task queue: a mutex guards the queue, and idle workers spin on the number of tasks without it. What the
// task is about is written after it was given.
// ARRIVAL: both
// RUN: %check %s
// RUN: %check-lto %s

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int waiting_tasks;
static volatile int closed;
int tasks[8];
int head, tail;
int results[8];

static void give(int task) {
  pthread_mutex_lock(&mutex);
  tasks[head++] = task;
  waiting_tasks = waiting_tasks + 1;
  pthread_mutex_unlock(&mutex);
}

static int take(int* task) {
  for (;;) {
    while (waiting_tasks == 0 && !closed) {
    }
    pthread_mutex_lock(&mutex);
    if (head != tail) {
      *task = tasks[tail++];
      waiting_tasks = waiting_tasks - 1;
      pthread_mutex_unlock(&mutex);
      return 1;
    }
    const int end = closed;
    pthread_mutex_unlock(&mutex);
    if (end) return 0;
  }
}

static void gives(void) {
  give(0);
  results[0] = 10;  // RACE: observed results
}

static void works(void) {
  int task;
  if (take(&task)) results[task]++;  // RACE: observed results
}

int main(void) { meet(works, gives); }
