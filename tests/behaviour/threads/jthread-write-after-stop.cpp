// What is written after the stop request is not ordered before who sees it.
// RUN: %check %s

#include <stop_token>
#include <thread>

#include "order.h"

int x;

int main() {
  std::jthread thread([](std::stop_token stop) {
    await_turn(1);
    if (stop.stop_requested()) x = 1;  // RACE: observed x
  });
  thread.request_stop();
  x = 2;  // RACE: observed x
  end_turn();
}
