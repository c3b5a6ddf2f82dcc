// A variable of main's stack is lent to a thread and looked at after the join.
// NORACE
// RUN: %check %s

#include "order.h"

static void* doubles(void* argument) {
  int* number = (int*)argument;
  *number *= 2;
  return NULL;
}

int main(void) {
  pthread_t thread;
  int number = 21;
  pthread_create(&thread, NULL, doubles, &number);
  pthread_join(thread, NULL);
  return number != 42;
}
