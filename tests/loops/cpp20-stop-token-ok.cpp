// C++20: a stop token that is polled.
// NORACE
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <stop_token>

#include "arrival.h"

std::stop_source source;
int x;

static void announces() {
  x = 1;
  source.request_stop();
}

static void waits() {
  const std::stop_token token = source.get_token();
  while (!token.stop_requested()) {
  }
  x = 2;
}

int main() { meet(waits, announces); }
