// A replay that cannot do the same says which decision was the first that differs, and where in the program that is.
// RUN: %norn-cc -g %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: NORN_OPTIONS=schedule=rr not %norn run -- %t
// RUN: not %norn confirm --all --runs=3 -- %t | sed -n 's/.*norn replay \(n2[^ ]*\) .*/\1/p' > token
// RUN: %norn replay $(cat token) -- %t 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: touch flag && %norn replay $(cat token) -- %t 2>&1 | FileCheck %s --check-prefix=DIFFERS
// RUN: rm -r .norn && %norn replay $(cat token) -- %t 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// SAME: replayed identically: {{[0-9]+}} decisions, hash {{[0-9a-f]+}}
// DIFFERS: the replay differs from decision {{[0-9]+}} on: now thread {{[0-9]}} goes on (acquire at replay-differs.c:20  add), one of {{[0-9]}} that could; before, thread
// UNKNOWN: the replay differs: {{[0-9]+}} decisions with hash {{[0-9a-f]+}}, not {{[0-9]+}} with {{[0-9a-f]+}}; the first run's log is not here to say where

#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void* add(void* unused) {
  if (access("flag", F_OK) == 0) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  ++sum;
  return unused;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, add, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
