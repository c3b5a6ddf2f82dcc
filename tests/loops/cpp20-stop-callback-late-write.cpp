// C++20: the data is written after the request to stop, which a callback waits for.
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <latch>
#include <stop_token>

#include "arrival.h"

std::stop_source source;
std::latch called(1);
int x;

static void stops() {
  source.request_stop();
  x = 1;  // RACE: observed x
}

static void registers() {
  const std::stop_callback callback(source.get_token(), [] { called.count_down(); });
  called.wait();
  x = 2;  // RACE: observed x
}

int main() { meet(registers, stops); }
