// C++20: the data is written after the request to stop.
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <stop_token>

#include "arrival.h"

std::stop_source source;
int x;

static void announces() {
  source.request_stop();
  x = 1;  // RACE: observed x
}

static void waits() {
  const std::stop_token token = source.get_token();
  while (!token.stop_requested()) {
  }
  x = 2;  // RACE: observed x
}

int main() { meet(waits, announces); }
