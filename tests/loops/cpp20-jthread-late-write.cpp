// C++20: a jthread polls its stop token; the data is written after the request to stop.
// ARRIVAL: both
// RUN: %check %s --levels=-O0,-O2

#include <stop_token>
#include <thread>

#include "arrival.h"

int x, y;
std::stop_token token;
std::jthread* worker;

static void polls() {
  while (!token.stop_requested()) {
  }
  x = 2;  // RACE: observed x
  y = 1;
}

static void stops() {
  worker->request_stop();
  x = 1;  // RACE: observed x
}

NornTestPart polling = {polls, 0, 1};
NornTestPart stopping = {stops, 0, 1};

int main() {
  {
    std::jthread thread([](std::stop_token mine) {
      token = mine;
      norn_test_wait(&polling);
    });
    worker = &thread;
    norn_test_counter(&stopping);
  }
  return y - 1;
}
