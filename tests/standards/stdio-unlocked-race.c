// Two threads write to one stream by putc_unlocked, and neither owns the stream. These functions may safely be used if
// and only if the calling thread owns the stream (POSIX.1-2017, XSH getc_unlocked, flockfile): the stream's position in
// its buffer is written by both.
// RUN: %check %s

#include <pthread.h>
#include <stdio.h>

static FILE* out;
static char letters[2] = {'a', 'b'};

static void* writes(void* letter) {
  for (int i = 0; i < 100; i++) {
    putc_unlocked(*(char*)letter, out);  // RACE: observed <stream>
  }
  return NULL;
}

int main(void) {
  static char buffer[4096];
  pthread_t threads[2];
  out = tmpfile();
  if (out == NULL) return 1;
  setvbuf(out, buffer, _IOFBF, sizeof buffer);
  fputs("begin\n", out);
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, writes, &letters[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return fclose(out) != 0;
}
