// A lambda captures a local by reference, and main goes on changing it.
// RUN: %check %s

#include <thread>

#include "order.h"

int main() {
  int count = 0;
  std::thread thread([&count] {
    count++;  // RACE: observed <count>
    end_turn();
  });
  await_turn(1);
  count++;  // RACE: observed <count>
  thread.join();
  return count != 2;
}
