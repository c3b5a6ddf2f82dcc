// A program may end from anywhere: its status is its own, and the run is over.
// RUN: %norn-cc %s -o %t
// RUN: for how in exit _exit quick_exit main pthread_exit exec; do %norn confirm --explore --runs=5 --timeout=60 -- %t $how || exit 1; done
// RUN: not %norn confirm --explore --runs=3 --timeout=60 -- %t abort | FileCheck %s --check-prefix=ABORT
// RUN: not %norn confirm --explore --runs=3 --timeout=60 -- %t segv | FileCheck %s --check-prefix=SEGV
// ABORT: abort in 3 of them
// SEGV: crash in 3 of them: SIGSEGV

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* how;
static char** arguments;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* ends(void* unused) {
  pthread_mutex_lock(&mutex);
  if (strcmp(how, "exit") == 0) exit(5);
  if (strcmp(how, "_exit") == 0) _exit(5);
  if (strcmp(how, "quick_exit") == 0) quick_exit(5);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "segv") == 0) *(volatile int*)8 = 1;
  if (strcmp(how, "exec") == 0) execl("/bin/sh", "sh", "-c", "exit 5", (char*)0);
  return unused;
}

static void* waits(void* unused) {
  for (;;) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    sleep(1);
  }
  return unused;
}

int main(int argc, char** argv) {
  how = argv[argc - 1];
  arguments = argv;
  pthread_t a, b;
  if (strcmp(how, "main") == 0) {
    pthread_create(&b, 0, waits, 0);
    return 5;
  }
  pthread_create(&a, 0, ends, 0);
  if (strcmp(how, "pthread_exit") == 0) pthread_exit(0);
  pthread_create(&b, 0, waits, 0);
  pthread_join(b, 0);
  return 0;
}
