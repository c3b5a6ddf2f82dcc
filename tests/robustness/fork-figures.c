// The summary's figures are what the processes did: a child does not count again what was done before its fork, and an
// exec that fails does not count at all.
// RUN: %norn-cc -O0 %s -o %t && %norn run --json=%t.json %t 2> %t.err && FileCheck %s < %t.json
// RUN: %norn-cc -O2 %s -o %t && %norn run --json=%t.json %t 2> %t.err && FileCheck %s < %t.json
// RUN: gcc-12 -O1 -g -pthread %s -o %t && %norn run --binary --json=%t.json %t 2> %t.err && FileCheck %s < %t.json
// CHECK: "accesses": {{1[0-9]{5,6},}}
// CHECK: "all": {{2[0-9]{4}$}}
// CHECK: "threads": 10,

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kWords = 1 << 16, kWrites = 1000000, kLocks = 10000, kChildren = 4 };

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
volatile int words[kWords];

static void* works(void* unused) {
  unsigned at = 0;
  for (int i = 0; i < kWrites; i++) {
    at = at * 1664525 + 1013904223;
    words[at >> 16] = i;
  }
  for (int i = 0; i < kLocks; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}

static void* rests(void* unused) { return unused; }

static void run(void* (*function)(void*)) {
  pthread_t thread;
  pthread_create(&thread, NULL, function, NULL);
  pthread_join(thread, NULL);
}

int main(void) {
  run(works);
  for (int i = 0; i < kChildren; i++) {
    if (fork() == 0) {
      run(rests);
      _exit(0);
    }
  }
  while (wait(NULL) > 0) continue;
  execl("/nowhere/to/be/found", "found", NULL);
  return 0;
}
