// A program that fails if another one runs in its directory at the same time: that is no consequence of a schedule.
// RUN: %norn-cc -O1 %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: %norn confirm --explore --runs=40 --jobs=8 -- %t | FileCheck %s
// CHECK: nothing seen in 40 runs

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void* works(void* unused) {
  for (volatile int i = 0; i < 1000000; ++i) continue;
  return unused;
}

int main(void) {
  const int file = open("only-one", O_CREAT | O_EXCL | O_WRONLY, 0600);
  if (file < 0) return 3;
  pthread_t one, other;
  pthread_create(&one, NULL, works, NULL);
  pthread_create(&other, NULL, works, NULL);
  pthread_join(one, NULL);
  pthread_join(other, NULL);
  close(file);
  return unlink("only-one");
}
