// A thread that the kernel does not let go on for more than a second, as where it waits for a busy disk, keeps its turn:
// it comes back by itself, and the same schedule stays the same. (A child of vfork stands for the disk.) So does one
// that sleeps again and again for a moment.
// RUN: %norn-cc -O1 %s -o %t && %norn confirm --explore --strategy=rr --runs=1 --timeout=60 -- %t | FileCheck %s
// RUN: %norn confirm --explore --strategy=rr --runs=1 --timeout=60 -- %t moments | FileCheck %s
// CHECK-NOT: its turn was taken away

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define UNSEEN __attribute__((no_sanitize("thread"), noinline))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

UNSEEN static long call(long number, long a, long b) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b) : "rcx", "r11", "memory");
  return result;
}

UNSEEN static void wait_for_child(void) {
  if (vfork() == 0) {
    struct timespec time = {2, 500000000};
    call(SYS_nanosleep, (long)&time, 0);
    call(SYS_exit, 0, 0);
  }
}

UNSEEN static void sleep_for_moments(void) {
  struct timespec time = {0, 20000000};
  for (int i = 0; i < 125; ++i) call(SYS_nanosleep, (long)&time, 0);
}

static void* waits(void* moments) {
  pthread_mutex_lock(&mutex);
  if (moments) {
    sleep_for_moments();
  } else {
    wait_for_child();
    wait(0);
  }
  pthread_mutex_unlock(&mutex);
  return 0;
}

static void* locks(void* unused) {
  for (int i = 0; i < 5; ++i) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

int main(int count, char** arguments) {
  pthread_t a, b;
  pthread_create(&a, 0, waits, count > 1 ? arguments : 0);
  pthread_create(&b, 0, locks, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
