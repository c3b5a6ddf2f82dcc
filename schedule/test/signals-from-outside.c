// A signal from another process reaches a program in which everybody waits: its handler runs and the call goes on, and
// one that ends processes ends this one.
// RUN: %norn-cc %s -o %t && rm -rf %t.d && mkdir %t.d && cd %t.d
// RUN: env NORN_OPTIONS=schedule=random %t handles | FileCheck %s
// RUN: not --crash env NORN_OPTIONS=schedule=random %t ends
// CHECK: restarted, handled before it was over

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int awaited[2], answer[2];

static void handle(int number) {
  (void)number;
  if (write(answer[1], "", 1) != 1) _exit(1);
}

static void* reads(void* unused) {
  char byte;
  const char* how = read(awaited[0], &byte, 1) == 1 ? "restarted" : "not restarted";
  printf("%s, handled %s\n", how, byte == '!' ? "before it was over" : "too late");
  return unused;
}

// Sends a signal to its parent, which waits, and what it waits for when the signal was answered, or never will be.
static void send_to_parent(int number) {
  usleep(100 * 1000);
  kill(getppid(), number);
  struct pollfd answers = {answer[0], POLLIN, 0};
  const char* byte = poll(&answers, 1, 10 * 1000) == 1 ? "!" : "?";
  _exit(write(awaited[1], byte, 1) != 1);
}

int main(int count, char** arguments) {
  if (count < 2 || pipe(awaited) != 0 || pipe(answer) != 0) return 1;
  const int handles = strcmp(arguments[1], "handles") == 0;
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
  if (handles) sigaction(SIGUSR1, &action, NULL);
  if (fork() == 0) send_to_parent(handles ? SIGUSR1 : SIGTERM);
  pthread_t thread;
  pthread_create(&thread, NULL, reads, NULL);
  pthread_join(thread, NULL);
  wait(NULL);
  return 0;
}
