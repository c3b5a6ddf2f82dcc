// A server waits for clients in every run, and a program for its input in the first one alone: neither is a hang, though
// both are ended when their time is over. A race that was seen is confirmed all the same.
// RUN: %norn-cc -g %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: sh -c '%norn check --budget=12 --timeout=3 --runs=4 -- %t server; true' > server.txt 2>&1
// RUN: FileCheck %s --check-prefix=SERVER --input-file=server.txt
// RUN: not %norn check --budget=30 --timeout=3 --runs=4 -- %t racy 2>&1 | FileCheck %s --check-prefix=RACY
// RUN: sh -c 'sleep 8 | %norn check --budget=12 --timeout=3 --runs=4 -- %t input; true' > input.txt 2>&1
// RUN: FileCheck %s --check-prefix=INPUT --input-file=input.txt
// SERVER-NOT: hang in
// SERVER-NOT: replay
// SERVER: the program did not end by itself (it did not end in its half of the time), and no schedule that was tried is known to hang
// SERVER: none of {{[0-9]+}} runs ended by itself: no exit status counts as harm, nor does a run that does not end
// RACY-NOT: hang in
// RACY: race on served {{.*}}: confirmed in
// INPUT-NOT: hang in
// INPUT: the program did not end by itself

#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int served;
static int racy;

static void* serves(void* unused) {
  if (!racy) pthread_mutex_lock(&mutex);
  ++served;
  if (!racy) pthread_mutex_unlock(&mutex);
  return unused;
}

int main(int count, char** words) {
  pthread_t threads[2];
  racy = count > 1 && strcmp(words[1], "racy") == 0;
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, serves, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  if (count > 1 && strcmp(words[1], "input") == 0) return getchar() == 'x';
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in any = {.sin_family = AF_INET};  // whatever port is free
  if (bind(listener, (struct sockaddr*)&any, sizeof(any)) != 0 || listen(listener, 1) != 0) return 2;
  return accept(listener, NULL, NULL) < 0;
}
