// Two states of a connection, each with a mutex of its own, are adjacent bit-fields: one memory location (C11 3.14).
// The threads hold different mutexes, so nothing orders the two updates, and each writes all bits of the location
// (C11 5.1.2.4p25).
// RUN: %check %s

#include <pthread.h>

struct connection {
  unsigned readable : 1;
  unsigned writable : 1;
};

struct connection connection;
pthread_mutex_t read_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t write_mutex = PTHREAD_MUTEX_INITIALIZER;

static void* input(void* unused) {
  pthread_mutex_lock(&read_mutex);
  connection.readable = 1;  // RACE: observed connection
  pthread_mutex_unlock(&read_mutex);
  return unused;
}

static void* output(void* unused) {
  pthread_mutex_lock(&write_mutex);
  connection.writable = 1;  // RACE: observed connection
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
