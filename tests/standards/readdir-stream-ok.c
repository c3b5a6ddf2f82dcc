// Two threads share a directory stream. readdir need not be thread-safe (POSIX.1-2017, XSH 2.9.1), and the entry that
// it returns may be overwritten by the next call on that stream: so both are under a lock.
// NORACE
// RUN: %check %s

#include <dirent.h>
#include <pthread.h>
#include <string.h>

static DIR* stream;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t lengths[2];

static void* lists(void* argument) {
  int self = *(int*)argument;
  for (;;) {
    pthread_mutex_lock(&lock);
    struct dirent* entry = readdir(stream);
    size_t length = entry == NULL ? 0 : strlen(entry->d_name);
    pthread_mutex_unlock(&lock);
    if (length == 0) return NULL;
    lengths[self] += length;
  }
}

int main(void) {
  pthread_t threads[2];
  int selves[2] = {0, 1};
  stream = opendir("/");
  if (stream == NULL) return 1;
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, lists, &selves[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  closedir(stream);
  return lengths[0] + lengths[1] == 0;
}
