// The classic: each thread gets the address of the loop's counter.
// RUN: %check %s

#include "order.h"

int sum;

static void* reads(void* argument) {
  int* number = (int*)argument;
  sum = *number;  // RACE: observed <number>
  end_turn();
  return NULL;
}

int main(void) {
  pthread_t thread;
  int number = 1;
  pthread_create(&thread, NULL, reads, &number);
  await_turn(1);
  number = 2;  // RACE: observed <number>
  pthread_join(thread, NULL);
  return number != 2;
}
