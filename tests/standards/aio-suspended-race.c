// While an asynchronous read is under way another thread writes into its buffer. Until the operation has completed the
// buffer belongs to it (POSIX.1-2017, XSH 2.8.2, aio_read: if the buffer is changed before, the results are undefined);
// nothing orders the two.
// RUN: %check %s

#include <aio.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

char buffer[16];
struct aiocb request;

static void* clears(void* unused) {
  (void)unused;
  buffer[0] = 'S';  // RACE: observed buffer
  return NULL;
}

int main(void) {
  pthread_t thread;
  const struct aiocb* list[] = {&request};
  FILE* file = tmpfile();
  if (file == NULL || write(fileno(file), "some text", 9) != 9) return 1;
  request.aio_fildes = fileno(file);
  request.aio_buf = buffer;
  request.aio_nbytes = sizeof buffer;
  if (aio_read(&request) != 0) return 1;
  if (pthread_create(&thread, NULL, clears, NULL) != 0) return 1;
  aio_suspend(list, 1, NULL);  // RACE: observed buffer
  pthread_join(thread, NULL);
  return aio_return(&request) != 9 || strcmp(buffer + 1, "ome text") != 0;
}
