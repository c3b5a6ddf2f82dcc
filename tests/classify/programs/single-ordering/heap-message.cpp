// A message on the heap with a flag in it, freed by its receiver.
#include "threads.h"

struct Message {
  volatile bool is_complete = false;
  int length = 0;
};
static Message* message;
static int seen;

static void* completes(void*) {
  // RACE length read: single-ordering: the loop before the read waits for the flag that follows this write
  // RACE length delete: single-ordering: the message is deleted behind the loop
  message->length = 9;  // @length
  // RACE complete wait: single-ordering: the loop waits for this very write
  // RACE complete delete: single-ordering: the message is deleted behind the loop
  message->is_complete = true;  // @complete
  return nullptr;
}

static void* receives(void*) {
  while (!message->is_complete) sched_yield();  // @wait
  seen = message->length;                       // @read
  delete message;                               // @delete
  return nullptr;
}

int main() {
  message = new Message;
  run_both(completes, receives);
  printf("%d\n", seen);
}
