// Library: a queue of messages on the heap, a mutex for the queue and a semaphore for their number.
// NORACE
// RUN: %check %s --levels=-O0,-O2

#include <semaphore.h>
#include <stdlib.h>

#include "arrival.h"

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
sem_t count;

typedef struct Message {
  struct Message* next;
  int text;
} Message;

Message* queue;
int sum;

static void send(int text) {
  Message* message = malloc(sizeof(Message));
  message->text = text;
  pthread_mutex_lock(&mutex);
  message->next = queue;
  queue = message;
  pthread_mutex_unlock(&mutex);
  sem_post(&count);
}

static Message* receive(void) {
  sem_wait(&count);
  pthread_mutex_lock(&mutex);
  Message* message = queue;
  queue = message->next;
  pthread_mutex_unlock(&mutex);
  return message;
}

static void sends(void) {
  for (int i = 0; i < 5; ++i) send(i);
  end_turn();
}

// When all are sent: who takes a message before its own post is ordered by the mutex alone (publication-* do that).
static void receives(void) {
  await_turn(2);
  for (int i = 0; i < 10; ++i) {
    Message* message = receive();
    sum += message->text;
    free(message);
  }
}

int main(void) {
  sem_init(&count, 0, 0);
  const Body bodies[] = {sends, sends, receives};
  run_many(bodies, 3);
  return sum - 20;
}
