// What is written to a file depends on the order; nothing is printed.
#include <fcntl.h>

#include "threads.h"

static volatile char letter = 'a';

static void* changes(void* unused) {
  // RACE change write: output-differs output: read first, the file has the old letter
  letter = 'b';  // @change
  return unused;
}

static void* writes(void* unused) {
  later();
  char now = letter;  // @write
  int file = open("letter.txt", O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (write(file, &now, 1) != 1) abort();
  close(file);
  return unused;
}

int main(void) {
  run_both(changes, writes);
  unlink("letter.txt");
}
