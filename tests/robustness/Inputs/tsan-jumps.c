// Leaves five to seven frames by a jump, so often that the stack of calls would overflow if they stayed on it.
#include <pthread.h>
#include <setjmp.h>

static __thread jmp_buf back;
int shared;

__attribute__((noinline)) static void deep(int frames) {
  if (frames == 0) longjmp(back, 1);
  deep(frames - 1);
  ++shared;
}

__attribute__((noinline)) static void jump(int frames) {
  if (setjmp(back) == 0) {
    deep(frames);
  }
}

__attribute__((noinline)) static void last(void) { ++shared; }

static void* work(void* argument) {
  for (int i = 0; i < 200000; ++i) jump(5 + i % 3);
  last();
  return argument;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  work(0);
  pthread_join(thread, 0);
}
