// After pbzip2 (Portend, table 5: three of its races crash it): main frees the queue of blocks while a consumer, which
// it does not wait for, still uses it; the pointer is cleared as well.
#include "threads.h"

struct Queue {
  int* blocks;
  int count;
};

static Queue* queue;
static pthread_t consumer;

static void* consumes(void*) {
  // RACE clear take: spec-violated crash: the pointer may be null by the time it is read
  Queue* mine = queue;  // @take
  sched_yield();
  // RACE count freeq: spec-violated memory-error: the queue may be freed between the read of its pointer and its use
  int count = mine->count;  // @count
  sched_yield();
  // RACE block freeb: spec-violated memory-error: the blocks may be freed before they are read
  // RACE block freeq: spec-violated memory-error: the queue may be freed before the pointer to its blocks is read
  volatile int block = mine->blocks[count - 1];  // @block
  (void)block;
  return nullptr;
}

int main() {
  queue = new Queue{new int[4](), 4};
  pthread_create(&consumer, nullptr, consumes, nullptr);
  later();
  delete[] queue->blocks;  // @freeb
  Queue* old = queue;
  queue = nullptr;  // @clear
  delete old;       // @freeq
  pthread_join(consumer, nullptr);
  printf("compressed\n");
}
