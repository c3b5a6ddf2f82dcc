// Two asynchronous reads. A thread looks at a buffer only after aio_suspend and aio_error said that its read has
// completed: until then the buffer belongs to the operation (POSIX.1-2017, XSH 2.8.2, aio_read).
// RUN: %check %s
// NORACE

#include <aio.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

char buffer[16];
struct aiocb request;

static void* clears(void* unused) {
  (void)unused;
  const struct aiocb* list[] = {&request};
  while (aio_error(&request) == EINPROGRESS) aio_suspend(list, 1, NULL);
  buffer[0] = 'S';
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
  pthread_join(thread, NULL);
  while (aio_error(&request) == EINPROGRESS) aio_suspend(list, 1, NULL);
  return aio_return(&request) != 9 || strcmp(buffer + 1, "ome text") != 0;
}
