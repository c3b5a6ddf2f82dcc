// After pbzip2 (Portend, figure 28 d): the writer waits busily for each block of the output, and for all to be done.
#include "threads.h"

struct Block {
  volatile int ready;
  int size;
  char bytes[8];
};

static Block blocks[3];
static volatile int all_done;
static int file_size, terminated;

static void* compresses(void*) {
  for (int i = 0; i < 3; ++i) {
    // RACE size sized: single-ordering: the writer's loop is left when the block is ready
    blocks[i].size = i + 1;  // @size
    // RACE bytes written: single-ordering: the writer's loop is left when the block is ready
    blocks[i].bytes[0] = static_cast<char>('a' + i);  // @bytes
    // RACE ready wait: single-ordering: the loop waits for this very write
    blocks[i].ready = 1;  // @ready
  }
  // RACE total totalled: single-ordering: the writer reads it behind the loop that waits for all_done
  file_size = 6;  // @total
  // RACE done await: single-ordering: the loop waits for this very write
  all_done = 1;  // @done
  return nullptr;
}

static void* writes(void*) {
  int sum = 0;
  for (int i = 0; i < 3; ++i) {
    while (!blocks[i].ready) {  // @wait
      usleep(50);
    }
    sum += blocks[i].size;        // @sized
    putchar(blocks[i].bytes[0]);  // @written
  }
  while (!all_done) {  // @await
    usleep(50);
  }
  terminated = sum == file_size;  // @totalled
  return nullptr;
}

int main() {
  run_both(compresses, writes);
  printf(" %d\n", terminated);
}
