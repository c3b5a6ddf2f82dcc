// Two threads of one process append to a file and count its lines. A record lock of fcntl keeps other processes out; a
// mutex keeps the threads apart, which record locks do not, being the process's (POSIX.1-2017, XSH fcntl, F_SETLKW).
// NORACE
// RUN: %check %s

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int file;
long lines;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock_file(short type) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
  fcntl(file, F_SETLKW, &lock);
}

static void* appends(void* text) {
  pthread_mutex_lock(&mutex);
  lock_file(F_WRLCK);
  if (write(file, text, 5) == 5) lines++;
  lock_file(F_UNLCK);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

int main(void) {
  static char first[] = "one_\n", second[] = "two_\n";
  pthread_t a, b;
  FILE* temporary = tmpfile();
  if (temporary == NULL) return 1;
  file = fileno(temporary);
  pthread_create(&a, NULL, appends, first);
  pthread_create(&b, NULL, appends, second);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return lines != 2;
}
