// Home-made task queue: a mutex guards the queue, and idle workers spin on the number of tasks without it.
// NORACE
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
  for (int i = 0; i < 4; ++i) {
    results[i] = 10 * i;
    give(i);
  }
  pthread_mutex_lock(&mutex);
  closed = 1;
  pthread_mutex_unlock(&mutex);
}

static void works(void) {
  int task;
  while (take(&task)) results[task]++;
}

int main(void) {
  const Body workers[] = {works, works};
  const Body counterpart = gives;
  meet_many(workers, 2, &counterpart, 1);
}
