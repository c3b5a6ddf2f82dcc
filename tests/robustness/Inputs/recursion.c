// A recursion of two calls, 16 deep, in two threads: 65,536 ways to the innermost call.
#include <pthread.h>
#include <stddef.h>

int leaves;
static _Thread_local volatile int touched[64];

static void descend(int depth) {
  touched[depth]++;
  if (depth == 0) return;
  descend(depth - 1);
  descend(depth - 1);
}

static void* work(void* unused) {
  descend(16);
  leaves++;
  return unused;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  work(NULL);
  pthread_join(thread, NULL);
  return 0;
}
