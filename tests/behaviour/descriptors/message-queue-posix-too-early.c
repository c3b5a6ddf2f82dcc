// What is done after a message was sent to a queue of POSIX is not before who receives it.
// RUN: %check %s

#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <unistd.h>

#include "order.h"

mqd_t queue;
int x;

static void sends(void) {
  mq_send(queue, "hello", 5, 0);
  x = 1;  // RACE: observed x
  end_turn();
}

static void receives(void) {
  char text[16];
  await_turn(1);
  mq_receive(queue, text, sizeof text, NULL);
  x = 2;  // RACE: observed x
}

int main(void) {
  char name[32];
  snprintf(name, sizeof name, "/norn-%d", (int)getpid());
  struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 16};
  queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);
  mq_unlink(name);
  run_two(sends, receives);
}
