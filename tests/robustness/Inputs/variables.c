// A race on a member, on an element, on a local variable and on a block of the heap.
#include <pthread.h>
#include <stdlib.h>

struct point {
  int x, y;
  struct {
    short a, b;
  } in[3];
};
struct point origin;
static int table[10];
struct job {
  int* local;
  long* block;
};
pthread_mutex_t audit = PTHREAD_MUTEX_INITIALIZER;

static void* work(void* argument) {
  struct job* job = argument;
  pthread_mutex_lock(&audit);
  origin.in[1].b = 1;
  table[3] = 2;
  *job->local = 4;
  *job->block = 2;
  pthread_mutex_unlock(&audit);
  return NULL;
}

int main(void) {
  int counter = 0;
  struct job job = {&counter, malloc(16)};
  pthread_t thread;
  pthread_create(&thread, NULL, work, &job);
  origin.in[1].b = 2;
  table[3] = 3;
  counter = 5;
  *job.block = 5;
  pthread_join(thread, NULL);
  return 0;
}
