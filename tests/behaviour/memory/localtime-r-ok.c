// localtime_r and its like have a result for each caller; so do strerror_r and strerror.
// NORACE
// RUN: %check %s

#include <errno.h>
#include <string.h>
#include <time.h>

#include "order.h"

int years[2];

static void asks(int which) {
  time_t now = which;
  struct tm result;
  char text[64], message[64];
  years[which] = localtime_r(&now, &result)->tm_year;
  strftime(text, sizeof text, "%Y", gmtime_r(&now, &result));
  asctime_r(&result, text);
  if (strerror_r(EINVAL, message, sizeof message) == NULL || strlen(strerror(12345 + which)) == 0) abort();
  end_turn();
}

static void first(void) { asks(0); }

static void second(void) {
  await_turn(1);
  asks(1);
}

int main(void) { run_two(first, second); }
