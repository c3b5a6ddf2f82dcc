// Files get a block each: whether a block is free is asked under the lock of the file, not of the block.
// After the file system of Flanagan and Godefroid, "Dynamic Partial-Order Reduction for Model Checking Software" (POPL
// 2005), figure 10, with one lock left out. 14 threads, of which two must meet.
// BUG: kind=check-then-act preemptions=1 threads=14 shows=assertion finding=none
// RUN: %show %s
#include <stdatomic.h>

#include "bug.h"

enum { kFiles = 8, kBlocks = 26, kThreads = 14 };
static pthread_mutex_t file_locks[kFiles];
static atomic_int file_block[kFiles];
static atomic_int busy[kBlocks];

static void* write_file(void* number) {
  const int self = (int)(size_t)number, file = self % kFiles;
  if (self == 1) step(1);
  pthread_mutex_lock(&file_locks[file]);
  if (atomic_load(&file_block[file]) == 0) {
    for (int tries = 0, block = file * 2 / 4 * 4 % kBlocks; tries < kBlocks; ++tries, block = (block + 1) % kBlocks) {
      if (atomic_load(&busy[block])) continue;
      if (self == 0) step(0), step(3);
      assert(atomic_exchange(&busy[block], 1) == 0);
      atomic_store(&file_block[file], block + 1);
      break;
    }
  }
  pthread_mutex_unlock(&file_locks[file]);
  if (self == 1) step(2);
  return NULL;
}

int main(void) {
  for (int i = 0; i < kFiles; ++i) pthread_mutex_init(&file_locks[i], NULL);
  pthread_t threads[kThreads];
  for (size_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, write_file, (void*)i);
  for (size_t i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
}
