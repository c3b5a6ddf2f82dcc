// Two threads print into a stream in memory, whose own lock orders their calls (POSIX.1-2017, XSH 2.5, "flockfile");
// main closes it when both are joined, and reads the text then (open_memstream: valid after a successful fflush or
// fclose).
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE* stream;
static char* text;
static size_t size;

static void* prints(void* word) {
  for (int i = 0; i < 10; i++) fprintf(stream, "%s\n", (char*)word);
  fflush(stream);
  return NULL;
}

int main(void) {
  static char first[] = "one", second[] = "two";
  pthread_t a, b;
  int right;
  stream = open_memstream(&text, &size);
  if (stream == NULL) return 1;
  pthread_create(&a, NULL, prints, first);
  pthread_create(&b, NULL, prints, second);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  fclose(stream);
  right = size == 80 && strlen(text) == 80;
  free(text);
  return !right;
}
