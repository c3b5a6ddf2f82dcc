// main returns while another thread has only begun: that thread may still come first, and abort.
// RUN: %norn-cc -O1 %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: for how in return exit _exit quick_exit; do not %norn confirm --explore --strategy=random --runs=20 -- %t $how | FileCheck %s || exit 1; done
// CHECK: something went wrong in {{[1-9][0-9]*}} of 20 runs
// CHECK-NEXT: abort in {{[1-9][0-9]*}} of them

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void* aborts(void* unused) {
  (void)unused;
  abort();
}

int main(int count, char** words) {
  (void)count;
  pthread_t thread;
  pthread_create(&thread, 0, aborts, 0);
  if (strcmp(words[1], "exit") == 0) exit(0);
  if (strcmp(words[1], "_exit") == 0) _exit(0);
  if (strcmp(words[1], "quick_exit") == 0) quick_exit(0);
  return 0;
}
