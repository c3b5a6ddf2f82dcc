// What was done before a message was sent to a queue of POSIX comes before who receives it.
// NORACE
// RUN: %check %s

#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

mqd_t queue;
int x;

static void sends(void) {
  x = 1;
  if (mq_send(queue, "hello", 5, 0) != 0) abort();
}

static void receives(void) {
  char text[16];
  if (mq_receive(queue, text, sizeof text, NULL) != 5) abort();
  x = 2;
}

int main(void) {
  char name[32];
  snprintf(name, sizeof name, "/norn-%d", (int)getpid());
  struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 16};
  queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);
  if (queue < 0) return 0;  // a system without them
  mq_unlink(name);
  run_two(sends, receives);
  mq_close(queue);
}
