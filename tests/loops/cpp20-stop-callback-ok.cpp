// C++20: a callback runs where the stop is requested, or, if that was before, where it is registered.
// NORACE
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <latch>
#include <stop_token>

#include "arrival.h"

std::stop_source source;
std::latch called(1);
int x;

static void stops() {
  x = 1;
  source.request_stop();
}

static void registers() {
  const std::stop_callback callback(source.get_token(), [] {
    x = 2;
    called.count_down();
  });
  called.wait();
  x = 3;
}

int main() { meet(registers, stops); }
