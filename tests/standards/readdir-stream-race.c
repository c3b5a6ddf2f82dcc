// Two threads read one directory stream without a lock. readdir need not be thread-safe (POSIX.1-2017, XSH 2.9.1), and
// the entry that it returns may be overwritten by the next call on that stream.
// RUN: %check %s

#include <dirent.h>
#include <pthread.h>
#include <string.h>

static DIR* stream;
static size_t lengths[2];

static void* lists(void* argument) {
  int self = *(int*)argument;
  struct dirent* entry = readdir(stream);                     // RACE: observed <stream>
  lengths[self] = entry == NULL ? 1 : strlen(entry->d_name);  // MAYBE: stream
  return NULL;
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
