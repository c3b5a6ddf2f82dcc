// A file is mapped, unmapped and mapped again, and its halves at the same time: no byte of it lies at two addresses
// that somebody may write. So it is with two mappings that are only read.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

static void* nothing(void* unused) { return unused; }

int main(void) {
  FILE* file = tmpfile();
  if (file == NULL || ftruncate(fileno(file), 2 * PAGE) != 0) return 1;
  const int fd = fileno(file);
  for (int i = 0; i < 2; i++) {
    char* map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) return 1;
    map[i] = 1;
    munmap(map, 2 * PAGE);
  }
  if (mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED) return 1;
  if (mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, PAGE) == MAP_FAILED) return 1;
  FILE* read_only = tmpfile();
  if (read_only == NULL || ftruncate(fileno(read_only), PAGE) != 0) return 1;
  for (int i = 0; i < 2; i++) {
    if (mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fileno(read_only), 0) == MAP_FAILED) return 1;
  }
  pthread_t thread;
  pthread_create(&thread, NULL, nothing, NULL);
  return pthread_join(thread, NULL);
}
