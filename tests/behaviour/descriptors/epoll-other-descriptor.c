// An event of one descriptor says nothing of what was written to another that is watched, too.
// RUN: %check %s

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "order.h"

int epoll, one, other;
int x;

static void writes(void) {
  x = 1;  // RACE: observed x
  if (eventfd_write(other, 1) != 0) abort();
  end_turn();
}

static void waits(void) {
  await_turn(1);
  struct epoll_event got;
  if (epoll_wait(epoll, &got, 1, -1) != 1 || got.data.fd != one) abort();
  x = 2;  // RACE: observed x
}

int main(void) {
  epoll = epoll_create1(0);
  one = eventfd(1, 0);
  other = eventfd(0, 0);
  struct epoll_event wanted = {.events = EPOLLIN, .data.fd = one};
  epoll_ctl(epoll, EPOLL_CTL_ADD, one, &wanted);
  wanted.data.fd = other;
  epoll_ctl(epoll, EPOLL_CTL_ADD, other, &wanted);
  run_two(writes, waits);
}
