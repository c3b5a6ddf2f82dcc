// Two threads of one process append to a file and count its lines, each under a record lock of fcntl. Such a lock
// belongs to the process: a second thread of the process gets it at once, so it keeps no thread out (POSIX.1-2017, XSH
// fcntl, F_SETLKW: "if a process already holds a lock, the old lock type is replaced"), and orders nothing (XBD 4.12).
// RUN: %check %s

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int file;
long lines;

static void lock_file(short type) {
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET};
  fcntl(file, F_SETLKW, &lock);
}

static void* appends(void* text) {
  lock_file(F_WRLCK);
  if (write(file, text, 5) == 5) lines++;  // RACE: observed lines
  lock_file(F_UNLCK);
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
  return lines < 1;
}
