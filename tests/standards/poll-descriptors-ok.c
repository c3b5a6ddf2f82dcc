// Two threads look whether a pipe can be read, each with an array of descriptors of its own, whose revents poll writes
// (POSIX.1-2017, XSH poll).
// NORACE
// RUN: %check %s

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static int events[2];

static void* looks(void* argument) {
  int self = *(int*)argument;
  struct pollfd watched = {ends[0], POLLIN, 0};
  if (poll(&watched, 1, 0) >= 0) events[self] = watched.revents;
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int selves[2] = {0, 1};
  if (pipe(ends) != 0) return 1;
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, looks, &selves[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return events[0] != 0 || events[1] != 0;
}
