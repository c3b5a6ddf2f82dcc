// A run that a copy of the program makes is as one that begins with exec: nothing is left of the runs before it, and
// the C library and the kernel know who it is. Nothing goes wrong in any schedule; and few processes were executed: the
// loader gives each its own random bytes.
// RUN: %norn-cc %s -o %t && echo "a line" > %t.in && rm -f %t.starts
// RUN: env STARTS=%t.starts %norn confirm --explore --runs=40 --jobs=1 --timeout=60 -- %t < %t.in
// RUN: test $(cat %t.starts | wc -l) -ge 43 && test $(sort -u %t.starts | wc -l) -le 4
// RUN: rm %t.starts && env STARTS=%t.starts %norn confirm --explore --runs=40 --jobs=4 --timeout=60 -- %t < %t.in
// RUN: test $(sort -u %t.starts | wc -l) -le 10
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int constructed;
__attribute__((constructor)) static void construct(void) { ++constructed; }

static volatile sig_atomic_t raised;
static void note(int signal) { raised = signal; }

static pthread_mutex_t robust;
static atomic_int count;

static void* dies_with_it(void* unused) {
  pthread_mutex_lock(&robust);
  ++count;
  return unused;
}

int main(void) {
  assert(constructed == 1);
  assert(getpid() == syscall(SYS_gettid) && getpgrp() == getpid());
  // The C library's own idea of this thread.
  signal(SIGUSR1, note);
  assert(raise(SIGUSR1) == 0 && raised == SIGUSR1);
  // Of the kernel's: a mutex that passes on priorities, and one whose owner ends.
  pthread_mutexattr_t attributes;
  pthread_mutex_t inherits;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
  assert(pthread_mutex_init(&inherits, &attributes) == 0);
  assert(pthread_mutex_lock(&inherits) == 0 && pthread_mutex_unlock(&inherits) == 0);
  pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_NONE);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  assert(pthread_mutex_init(&robust, &attributes) == 0);
  pthread_t thread;
  assert(pthread_create(&thread, NULL, dies_with_it, NULL) == 0 && pthread_join(thread, NULL) == 0);
  assert(pthread_mutex_lock(&robust) == EOWNERDEAD && pthread_mutex_consistent(&robust) == 0);
  assert(pthread_mutex_unlock(&robust) == 0 && count == 1);
  // Nobody else's descriptors, and the input from its beginning.
  for (int fd = 3; fd < 16; ++fd) assert(fcntl(fd, F_GETFD) == -1);
  char line[16] = "";
  assert(read(0, line, sizeof(line) - 1) == 7 && strcmp(line, "a line\n") == 0);
  // What it executes has the options of this run.
  const char* options = getenv("NORN_OPTIONS");
  assert(options != NULL && strncmp(options, "serve=", 6) != 0);
  const pid_t child = fork();
  if (child == 0) _exit(getppid() > 1 ? 3 : 4);
  int status = 0;
  assert(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
  const unsigned char* random = (const unsigned char*)getauxval(AT_RANDOM);
  char text[64];
  const int length = snprintf(text, sizeof(text), "%02x%02x%02x%02x%02x%02x\n", random[8], random[9], random[10],
                              random[11], random[12], random[13]);
  const int starts = open(getenv("STARTS"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  assert(write(starts, text, (size_t)length) == length);
  return 0;
}
