// One thread writes data and then to a descriptor. Another learns that there is something to read, does not read it,
// and uses the data: there was nothing to read before.
// NORACE
// RUN: %check %s

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include "order.h"

enum Kind { kEventfd, kPipe, kSocketPair, kKinds };
enum How { kEpoll, kEpollP, kEpollP2, kPoll, kPpoll, kSelect, kPselect, kHows };

int data[kKinds][kHows];

struct Handover {
  int* data;
  int out;
};

static void* writes(void* argument) {
  struct Handover* handover = argument;
  const uint64_t one = 1;
  *handover->data = 1;
  if (write(handover->out, &one, sizeof one) != sizeof one) abort();
  return NULL;
}

static int by_epoll(enum How how, int in) {
  int epoll = epoll_create1(0);
  struct epoll_event wanted = {.events = EPOLLIN, .data.u64 = 77}, got;
  epoll_ctl(epoll, EPOLL_CTL_ADD, in, &wanted);
  int count = how == kEpoll    ? epoll_wait(epoll, &got, 1, -1)
              : how == kEpollP ? epoll_pwait(epoll, &got, 1, -1, NULL)
                               : epoll_pwait2(epoll, &got, 1, NULL, NULL);
  if (count < 0 && errno == ENOSYS) count = epoll_wait(epoll, &got, 1, -1);  // an older system
  close(epoll);
  return count;
}

static int by_poll(enum How how, int in) {
  struct pollfd file = {in, POLLIN, 0};
  return how == kPoll ? poll(&file, 1, -1) : ppoll(&file, 1, NULL, NULL);
}

static int by_select(enum How how, int in) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(in, &set);
  return how == kSelect ? select(in + 1, &set, NULL, NULL, NULL) : pselect(in + 1, &set, NULL, NULL, NULL, NULL);
}

int main(void) {
  for (enum Kind kind = 0; kind < kKinds; kind++) {
    for (enum How how = 0; how < kHows; how++) {
      int ends[2];
      if (kind == kPipe && pipe(ends) != 0) return 1;
      if (kind == kSocketPair && socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
      if (kind == kEventfd) ends[0] = ends[1] = eventfd(0, 0);
      struct Handover handover = {&data[kind][how], ends[1]};
      pthread_t thread;
      pthread_create(&thread, NULL, writes, &handover);
      int count = how <= kEpollP2 ? by_epoll(how, ends[0])
                  : how <= kPpoll ? by_poll(how, ends[0])
                                  : by_select(how, ends[0]);
      if (count != 1 || data[kind][how] != 1) return 1;
      pthread_join(thread, NULL);
      close(ends[0]);
      if (kind != kEventfd) close(ends[1]);
    }
  }
}
