// A file's lock, by two descriptors of it, keeps two threads apart: each kind of lock those that use the same kind.
// With the happens-before relation alone: which of them had it first is an accident.
// NORACE
// ENGINES: hb hybrid
// RUN: %check %s

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "order.h"

char name[64];
int x;
int y;

static void uses(void) {
  int file = open(name, O_RDWR);
  for (int i = 0; i < 10; i++) {
    flock(file, LOCK_EX);
    x++;
    flock(file, LOCK_UN);
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    fcntl(file, F_OFD_SETLKW, &whole);
    y++;
    whole.l_type = F_UNLCK;
    fcntl(file, F_OFD_SETLK, &whole);
  }
  close(file);
}

int main(void) {
  snprintf(name, sizeof name, "/proc/self/fd/%d", memfd_create("lock", 0));
  run_two(uses, uses);
}
