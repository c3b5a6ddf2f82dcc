// An asynchronous read calls a function when it has completed, which says so by a relaxed flag (POSIX.1-2017,
// XSH 2.8.2, aio_read, SIGEV_THREAD). Nothing of XBD 4.12 stands between the function's write and main's read, and
// relaxed operations order nothing (C11 7.17.3): they race (C11 5.1.2.4p25).
// RUN: %check %s

#include <aio.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

struct aiocb request;
char buffer[64];
long bytes_read;
atomic_int completed;

static void completes(union sigval value) {
  struct aiocb* done = value.sival_ptr;
  bytes_read = aio_error(done) == 0 ? aio_return(done) : -1;  // RACE: observed bytes_read
  atomic_store_explicit(&completed, 1, memory_order_relaxed);
}

int main(void) {
  long bytes;
  FILE* file = tmpfile();
  if (file == NULL || write(fileno(file), "some text", 9) != 9) return 1;
  request.aio_fildes = fileno(file);
  request.aio_buf = buffer;
  request.aio_nbytes = sizeof buffer;
  request.aio_sigevent.sigev_notify = SIGEV_THREAD;
  request.aio_sigevent.sigev_notify_function = completes;
  request.aio_sigevent.sigev_value.sival_ptr = &request;
  if (aio_read(&request) != 0) return 1;
  while (!atomic_load_explicit(&completed, memory_order_relaxed)) sched_yield();
  bytes = bytes_read;  // RACE: observed bytes_read
  return bytes != 9 && bytes != 0;
}
