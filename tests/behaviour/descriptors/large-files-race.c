// With offsets of 64 bits the headers call other functions; they read and write memory like those that they stand for.
// FLAGS: -D_FILE_OFFSET_BITS=64
// RUN: %check %s

#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "order.h"

char given[8] = "given";
char taken[8];

static void uses_file(void) {
  int fd = fileno(tmpfile());
  struct iovec from = {given, sizeof given};
  struct iovec to = {taken, sizeof taken};
  if (pwritev(fd, &from, 1, 0) != sizeof given) abort();  // RACE: observed given
  if (preadv(fd, &to, 1, 0) != sizeof taken) abort();     // RACE: observed taken
  end_turn();
}

static void uses_memory(void) {
  await_turn(1);
  given[0] = 'G';  // RACE: observed given
  taken[0] = 'T';  // RACE: observed taken
}

int main(void) { run_two(uses_file, uses_memory); }
