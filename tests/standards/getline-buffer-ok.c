// Two threads read a line of a file each by getline, which allocates the line's memory for the caller: each has a
// pointer and a size of its own (POSIX.1-2017, XSH getdelim).
// NORACE
// RUN: %check %s

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct input {
  FILE* file;
  char* line;
  size_t size;
  long length;
};

static struct input inputs[2];

static void* reads(void* argument) {
  struct input* input = argument;
  input->length = getline(&input->line, &input->size, input->file);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) {
    inputs[i].file = tmpfile();
    if (inputs[i].file == NULL) return 1;
    fputs("one line\n", inputs[i].file);
    rewind(inputs[i].file);
  }
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, reads, &inputs[i]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 2; i++) free(inputs[i].line);
  return inputs[0].length != 9 || inputs[1].length != 9;
}
