// The pointer to a message is published before the message is complete.
// BUG: kind=data-race preemptions=1 threads=2 shows=assertion finding=race:mailbox
// FOUND-BY: pct pos
// RUN: %show %s
// RUN: %found %s
#include "bug.h"

typedef struct {
  int length;
  char text[16];
} Message;

static Message message;
static Message* mailbox;

static void* send_one(void* unused) {
  mailbox = &message;
  step(0);
  step(3);
  message.text[0] = 'x';
  message.length = 1;
  return unused;
}

static void* receive(void* unused) {
  step(1);
  Message* received = mailbox;
  if (received != NULL) assert(received->length == 1);
  step(2);
  return unused;
}

int main(void) { RUN(send_one, receive); }
