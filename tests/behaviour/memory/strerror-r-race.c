// strerror_r writes to the buffer that it is given.
// RUN: %check %s

#include <errno.h>
#include <string.h>

#include "order.h"

char buffer[64], other[64];
int __xpg_strerror_r(int error, char* to, size_t room);

static void first(void) {
  if (strerror_r(EINVAL, buffer, sizeof buffer) == NULL) abort();   // RACE: observed buffer
  if (__xpg_strerror_r(EINVAL, other, sizeof other) != 0) abort();  // RACE: observed other
  end_turn();
}

static void second(void) {
  await_turn(1);
  if (strerror_r(54321, buffer, sizeof buffer) == NULL) abort();  // RACE: observed buffer
  other[3] = 'x';                                                 // RACE: observed other
}

int main(void) { run_two(first, second); }
