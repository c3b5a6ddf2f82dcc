// What is added to an eventfd comes before what is read from it, by either call.
// NORACE
// RUN: %check %s

#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "order.h"

int event, answer;
int x;

static void sends(void) {
  uint64_t one = 1;
  x = 1;
  if (write(event, &one, sizeof one) != sizeof one) x = -1;
  eventfd_t got;
  if (eventfd_read(answer, &got) == 0) x++;
}

static void receives(void) {
  uint64_t got;
  if (read(event, &got, sizeof got) != sizeof got) return;
  x++;
  eventfd_write(answer, 1);
}

int main(void) {
  event = eventfd(0, 0);
  answer = eventfd(0, 0);
  run_two(sends, receives);
  return x != 3;
}
