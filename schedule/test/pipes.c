// Pipes: from another process, which runs free; and between threads, where who writes and who reads is the schedule's,
// so that it replays.
// RUN: %norn-cc %s -o %t && %harmless
// RUN: %replays 2 %t inner

#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int inner[2];

static void* writes(void* unused) {
  for (char c = 'a'; c < 'f'; c++) assert(write(inner[1], &c, 1) == 1);
  return unused;
}

static void* reads(void* unused) {
  for (int i = 0; i < 5; i++) {
    struct pollfd file = {inner[0], POLLIN, 0};
    char c = 0;
    assert(poll(&file, 1, -1) == 1);
    assert(read(inner[0], &c, 1) == 1 && c == 'a' + i);
  }
  return unused;
}

int main(int argc, char** argv) {
  (void)argv;
  int outer[2];
  assert(pipe(inner) == 0 && pipe(outer) == 0);
  const pid_t child = argc > 1 ? -1 : fork();
  if (child == 0) {
    usleep(20000);
    _exit(write(outer[1], "hello", 5) == 5 ? 0 : 1);
  }
  pthread_t writer, reader;
  pthread_create(&reader, 0, reads, 0);
  pthread_create(&writer, 0, writes, 0);
  char text[8] = "inner";
  int status = 0;
  if (child > 0) {
    assert(read(outer[0], text, 5) == 5);
    assert(waitpid(child, &status, 0) == child && status == 0);
  }
  pthread_join(writer, 0);
  pthread_join(reader, 0);
  puts(text);
  return 0;
}
