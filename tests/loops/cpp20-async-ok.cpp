// std::async: the result is asked for before or after it is there.
// NORACE
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <future>

#include "arrival.h"

int x;
std::future<void*> result;

static void computes() { x = 1; }

static void asks() {
  result.get();
  x = 2;
}

NornTestPart computing = {computes, 0, 1};
NornTestPart asking = {asks, 0, 1};

int main() {
  result = std::async(std::launch::async, norn_test_counter, &computing);
  norn_test_wait(&asking);
}
