// What is done after a semaphore of System V was posted, or a message sent, is not before who waits and receives.
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
  msgsnd(queue, &message, sizeof message.text, 0);
  semop(semaphores, &post, 1);
  x = 1;  // RACE: observed x
  y = 1;  // RACE: observed y
  end_turn();
}

static void takes(void) {
  struct sembuf wait = {0, -1, 0};
  struct Message message;
  await_turn(1);
  semop(semaphores, &wait, 1);
  x = 2;  // RACE: observed x
  msgrcv(queue, &message, sizeof message.text, 0, 0);
  y = 2;  // RACE: observed y
}

int main(void) {
  semaphores = semget(IPC_PRIVATE, 1, 0600);
  queue = msgget(IPC_PRIVATE, 0600);
  run_two(gives, takes);
  semctl(semaphores, 0, IPC_RMID);
  msgctl(queue, IPC_RMID, NULL);
}
