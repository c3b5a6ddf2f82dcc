// A file is mapped at two addresses, and a process-shared mutex lies in it: each thread uses a mapping of its own
// (POSIX.1-2017, XSH pthread_mutexattr_setpshared: "by any thread that has access to the memory where the mutex is
// allocated"). It is one mutex, whatever its address.
// NORACE
// norn knows a mutex by its address, so that it is two mutexes for it (docs/accuracy.md).
// XFAIL: *
// RUN: %check %s

#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

struct shared {
  pthread_mutex_t mutex;
};

static struct shared* mappings[2];
static int total;

static void* adds(void* mapping) {
  struct shared* shared = mapping;
  for (int i = 0; i < 100; i++) {
    pthread_mutex_lock(&shared->mutex);
    total++;
    pthread_mutex_unlock(&shared->mutex);
  }
  return NULL;
}

int main(void) {
  pthread_mutexattr_t attributes;
  pthread_t a, b;
  FILE* file = tmpfile();
  if (file == NULL || ftruncate(fileno(file), sizeof(struct shared)) != 0) return 1;
  for (int i = 0; i < 2; i++) {
    mappings[i] = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    if (mappings[i] == MAP_FAILED) return 1;
  }
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&mappings[0]->mutex, &attributes);
  pthread_create(&a, NULL, adds, mappings[0]);
  pthread_create(&b, NULL, adds, mappings[1]);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return total != 200;
}
