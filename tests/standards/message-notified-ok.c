// A queue of messages tells of the first one by calling a function in a thread of its own (POSIX.1-2017, XSH mq_notify,
// SIGEV_THREAD). The function receives the message, so what its sender did before it sent it came before; main waits
// for the semaphore that the function posts.
// NORACE
// RUN: %check %s

#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

mqd_t queue;
int order_lines;
int lines_seen;
sem_t done;

static void receives(union sigval unused) {
  char message[64];
  (void)unused;
  if (mq_receive(queue, message, sizeof message, NULL) > 0) lines_seen = order_lines;
  sem_post(&done);
}

static void* sends(void* unused) {
  order_lines = 3;
  mq_send(queue, "order", 6, 0);
  return unused;
}

int main(void) {
  char name[64];
  pthread_t sender;
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 64};
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = receives};
  snprintf(name, sizeof name, "/message-notified-ok-%ld", (long)getpid());
  queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
  if (queue == (mqd_t)-1) return 1;
  mq_unlink(name);
  sem_init(&done, 0, 0);
  if (mq_notify(queue, &event) != 0) return 1;
  pthread_create(&sender, NULL, sends, NULL);
  while (sem_wait(&done) != 0) continue;
  pthread_join(sender, NULL);
  return lines_seen != 3;
}
