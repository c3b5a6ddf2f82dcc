// RUN: %check %s
// The compiler unrolls the loop and folds `info->readers + i - 1` into `info + i + 1`, because the table starts at a
// multiple of a reader's size: the element is not a member of *info for that. All copies of an access have one name and
// one identity. (Reduced from LMDB's mdb_find_oldest.)
// STDOUT: 1
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct reader {
  volatile uint64_t txnid;
  volatile int pid;
  char pad[52];
};

struct info {
  uint32_t magic, format;
  int lock[12];
  volatile unsigned count;
  char pad[68];
  struct reader readers[1];
};

struct info* shared;
static pthread_barrier_t start;

static void* claim(void* slots) {
  struct reader* r = shared->readers + (long)slots;
  pthread_barrier_wait(&start);
  for (int i = 0; i < 3; ++i) {
    r[i].pid = 7;    // RACE: observed r[].pid
    r[i].txnid = 8;  // RACE: observed r[].txnid
  }
  return NULL;
}

int main(void) {
  pthread_t one, two;
  uint64_t oldest = 100;
  shared = calloc(1, sizeof *shared + 8 * sizeof(struct reader));
  shared->count = 6;
  for (int i = 0; i < 6; ++i) shared->readers[i].pid = 1;
  pthread_barrier_init(&start, NULL, 3);
  pthread_create(&one, NULL, claim, (void*)0L);
  pthread_create(&two, NULL, claim, (void*)3L);
  pthread_barrier_wait(&start);
  struct info* info = shared;
  struct reader* r = info->readers;
  for (int i = (int)info->count; --i >= 0;) {
    if (r[i].pid) {              // RACE: observed r[].pid
      uint64_t mr = r[i].txnid;  // RACE: observed r[].txnid
      if (oldest > mr) oldest = mr;
    }
  }
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  printf("%d\n", oldest <= 100);
  return 0;
}
