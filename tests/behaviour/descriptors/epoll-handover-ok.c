// A thread woken by epoll for a pipe that it then reads comes after the writer.
// NORACE
// RUN: %check %s

#include <sys/epoll.h>
#include <unistd.h>

#include "order.h"

int ends[2];
int poll_set;
int x;

static void sends(void) {
  x = 1;
  if (write(ends[1], "x", 1) != 1) x = -1;
}

static void receives(void) {
  struct epoll_event event;
  char byte;
  if (epoll_wait(poll_set, &event, 1, -1) != 1) return;
  if (read(event.data.fd, &byte, 1) == 1) x++;
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  poll_set = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN, .data = {.fd = ends[0]}};
  epoll_ctl(poll_set, EPOLL_CTL_ADD, ends[0], &event);
  run_two(sends, receives);
  return x != 2;
}
