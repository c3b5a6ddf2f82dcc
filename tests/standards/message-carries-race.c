// A message tells another thread that an order is ready (POSIX.1-2017, XSH mq_send, mq_receive). The price is filled in
// when the message has been sent: nothing orders that and who received it.
// RUN: %check %s

#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

mqd_t queue;
struct order {
  int count;
  int price;
} order;

static void* shop(void* sum) {
  char message[32];
  if (mq_receive(queue, message, sizeof message, NULL) < 0) return sum;
  *(int*)sum = order.count;
  *(int*)sum += order.price;  // RACE: observed order.price
  return NULL;
}

int main(void) {
  pthread_t thread;
  char name[64];
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 32};
  int sum = 0;
  snprintf(name, sizeof name, "/message-carries-%ld", (long)getpid());
  queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
  if (queue == (mqd_t)-1) return 1;
  mq_unlink(name);
  pthread_create(&thread, NULL, shop, &sum);
  order.count = 2;
  mq_send(queue, "order", 6, 0);
  order.price = 5;  // RACE: observed order.price
  pthread_join(thread, NULL);
  return sum < 2;
}
