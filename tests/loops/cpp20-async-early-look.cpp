// std::async: who asked for the work looks at its data before the result is there.
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <future>

#include "arrival.h"

int x;
std::future<void*> result;

static void computes() {
  x = 1;  // RACE: observed x
}

static void asks() {
  x = 2;  // RACE: observed x
  result.get();
}

NornTestPart computing = {computes, 0, 1};
NornTestPart asking = {asks, 0, 1};

int main() {
  result = std::async(std::launch::async, norn_test_counter, &computing);
  norn_test_wait(&asking);
}
