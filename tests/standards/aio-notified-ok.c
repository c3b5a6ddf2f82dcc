// An asynchronous read calls a function when it has completed, which says so under a mutex (POSIX.1-2017, XSH 2.8.2,
// aio_read, SIGEV_THREAD). The buffer was filled before the call, and the mutex orders the call before main's look (XBD
// 4.12).
// NORACE
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
int completed;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void completes(union sigval value) {
  struct aiocb* done = value.sival_ptr;
  pthread_mutex_lock(&mutex);
  bytes_read = aio_error(done) == 0 ? aio_return(done) : -1;
  completed = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
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
  pthread_mutex_lock(&mutex);
  while (!completed) pthread_cond_wait(&changed, &mutex);
  bytes = bytes_read;
  pthread_mutex_unlock(&mutex);
  return bytes != 9 || buffer[0] != 's';
}
