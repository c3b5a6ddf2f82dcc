// What is written after the descriptor was written to is not before who learns from epoll that there is something to
// read.
// RUN: %check %s

#include <sys/epoll.h>
#include <unistd.h>

#include "order.h"

int ends[2];
int x;

static void writes(void) {
  if (write(ends[1], "x", 1) != 1) abort();
  x = 1;  // RACE: observed x
  end_turn();
}

static void waits(void) {
  int epoll = epoll_create1(0);
  struct epoll_event wanted = {.events = EPOLLIN}, got;
  epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &wanted);
  if (epoll_wait(epoll, &got, 1, -1) != 1) abort();
  await_turn(1);
  x = 2;  // RACE: observed x
}

int main(void) {
  if (pipe(ends) != 0) return 1;
  run_two(writes, waits);
}
