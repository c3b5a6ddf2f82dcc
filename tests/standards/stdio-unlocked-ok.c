// Two threads write to one stream by putc_unlocked, each while it owns the stream by flockfile: so it is safe
// (POSIX.1-2017, XSH getc_unlocked and flockfile).
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <stdio.h>

static FILE* out;
static char letters[2] = {'a', 'b'};

static void* writes(void* letter) {
  flockfile(out);
  for (int i = 0; i < 100; i++) {
    putc_unlocked(*(char*)letter, out);
  }
  funlockfile(out);
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
