// Two threads look whether a pipe can be read with one array of descriptors, whose revents poll writes in each call
// (POSIX.1-2017, XSH poll: "poll() shall clear the revents member"). Nothing orders the calls (XBD 4.12).
// RUN: %check %s

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];
static struct pollfd watched[1];
static int found[2];

static void* looks(void* argument) {
  int self = *(int*)argument;
  found[self] = poll(watched, 1, 0);  // RACE: observed <watched>
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  int selves[2] = {0, 1};
  if (pipe(ends) != 0) return 1;
  watched[0].fd = ends[0];
  watched[0].events = POLLIN;
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, looks, &selves[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return found[0] != 0 || found[1] != 0;
}
