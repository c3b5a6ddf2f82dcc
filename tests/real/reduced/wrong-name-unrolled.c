/* Reduced from LMDB's mdb_find_oldest at -O2: the race is true, its name is wrong.
 *
 * The compiler unrolls the loop and folds `info->readers + i - 1` into `info + i + 1`: the table starts at a multiple
 * of a reader's size. norn then takes the element for a part of *info and says `info->magic` where it is
 * `readers[].txnid`; and because the name is part of the site, the one pair of source lines gets two identities. A step
 * of 64 bytes over an object that is not an array of 64-byte elements must not be named by the offset inside that
 * object: here only `info` and the element's own type are known.
 *
 * norn-cc -O2 -pthread wrong-name-unrolled.c && norn run -- ./a.out
 * wanted: all races are on readers[].pid and readers[].txnid (or r[]…), none on info->magic or info->lock. */
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
    r[i].pid = 7;
    r[i].txnid = 8;
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
    if (r[i].pid) {
      uint64_t mr = r[i].txnid;
      if (oldest > mr) oldest = mr;
    }
  }
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  printf("%d\n", oldest <= 100);
  return 0;
}
