// A file is mapped at two addresses, and each thread counts in it through a mapping of its own, without a lock: it is
// one object of the file, whatever its address (POSIX.1-2017, XSH mmap, MAP_SHARED; XBD 4.12, "memory location").
// norn knows memory by its address, so that it is two variables for it (docs/accuracy.md).
// XFAIL: *
// RUN: %check %s

#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct shared {
  int total;
};

static struct shared* mappings[2];

static void* adds(void* mapping) {
  struct shared* shared = mapping;
  for (int i = 0; i < 100; i++) shared->total++;  // RACE: observed <total>
  return NULL;
}

int main(void) {
  pthread_t a, b;
  FILE* file = tmpfile();
  if (file == NULL || ftruncate(fileno(file), sizeof(struct shared)) != 0) return 1;
  for (int i = 0; i < 2; i++) {
    mappings[i] = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    if (mappings[i] == MAP_FAILED) return 1;
  }
  pthread_create(&a, NULL, adds, mappings[0]);
  pthread_create(&b, NULL, adds, mappings[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return mappings[0]->total < 2;
}
