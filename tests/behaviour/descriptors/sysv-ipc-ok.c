// What was done before a semaphore of System V was posted, or a message sent, comes before who waits and receives.
// NORACE
// RUN: %check %s

#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

#include "order.h"

int semaphores, queue;
int x, y;

struct Message {
  long type;
  char text[8];
};

static void gives(void) {
  struct sembuf post = {0, 1, 0};
  struct Message message = {1, "hello"};
  x = 1;
  semop(semaphores, &post, 1);
  y = 1;
  msgsnd(queue, &message, sizeof message.text, 0);
}

static void takes(void) {
  struct sembuf wait = {0, -1, 0};
  struct Message message;
  if (semop(semaphores, &wait, 1) == 0) x = 2;
  if (msgrcv(queue, &message, sizeof message.text, 0, 0) == sizeof message.text) y = message.text[0];
}

int main(void) {
  semaphores = semget(IPC_PRIVATE, 1, 0600);
  queue = msgget(IPC_PRIVATE, 0600);
  run_two(gives, takes);
  semctl(semaphores, 0, IPC_RMID);
  msgctl(queue, IPC_RMID, NULL);
  return x != 2 || y != 'h';
}
