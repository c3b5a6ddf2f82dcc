// A thread prints into a stream in memory and flushes, and main looks meanwhile how much there is. fflush and fclose
// set the size (POSIX.1-2017, XSH open_memstream); the lock of the stream protects the stream, and not who reads the
// size without it (XBD 4.12).
// RUN: %check %s

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static FILE* stream;
static char* text;
static size_t size;

static void* prints(void* word) {
  fprintf(stream, "%s\n", (char*)word);
  fflush(stream);  // RACE: observed <size>
  return NULL;
}

int main(void) {
  static char word[] = "one";
  size_t seen;
  pthread_t thread;
  stream = open_memstream(&text, &size);
  if (stream == NULL) return 1;
  pthread_create(&thread, NULL, prints, word);
  seen = size;  // RACE: observed <size>
  pthread_join(thread, NULL);
  fclose(stream);
  free(text);
  return seen != 0 && seen != 4;
}
