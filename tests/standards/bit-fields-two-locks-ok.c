// Two states of a connection, each with a mutex of its own, are members of their own: two memory locations (C11 3.14),
// which two threads may change without regard to each other.
// NORACE
// RUN: %check %s

#include <pthread.h>

struct connection {
  unsigned char readable;
  unsigned char writable;
};

struct connection connection;
pthread_mutex_t read_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t write_mutex = PTHREAD_MUTEX_INITIALIZER;

static void* input(void* unused) {
  pthread_mutex_lock(&read_mutex);
  connection.readable = 1;
  pthread_mutex_unlock(&read_mutex);
  return unused;
}

static void* output(void* unused) {
  pthread_mutex_lock(&write_mutex);
  connection.writable = 1;
  pthread_mutex_unlock(&write_mutex);
  return unused;
}

int main(void) {
  pthread_t reader, writer;
  pthread_create(&reader, NULL, input, NULL);
  pthread_create(&writer, NULL, output, NULL);
  pthread_join(reader, NULL);
  pthread_join(writer, NULL);
  return !connection.readable && !connection.writable;
}
