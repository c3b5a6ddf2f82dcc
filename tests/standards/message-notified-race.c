// A queue of messages tells of the first one by calling a function in a thread of its own (POSIX.1-2017, XSH mq_notify,
// SIGEV_THREAD). The function counts, and main counts too: what was registered with mq_notify is no order between the
// two (XBD 4.12).
// RUN: %check %s

#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

mqd_t queue;
int messages;
sem_t done;

static void receives(union sigval unused) {
  char message[64];
  (void)unused;
  if (mq_receive(queue, message, sizeof message, NULL) > 0) messages++;  // RACE: observed messages
  sem_post(&done);
}

int main(void) {
  char name[64];
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 64};
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = receives};
  snprintf(name, sizeof name, "/message-notified-race-%ld", (long)getpid());
  queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attributes);
  if (queue == (mqd_t)-1) return 1;
  mq_unlink(name);
  sem_init(&done, 0, 0);
  if (mq_notify(queue, &event) != 0) return 1;
  mq_send(queue, "order", 6, 0);
  messages++;  // RACE: observed messages
  while (sem_wait(&done) != 0) continue;
  return messages < 1;
}
