// wait and notify of an atomic, with the default order.
// NORACE
// RUN: %check %s

#include <atomic>

#include "order.h"

std::atomic<int> stage;
int x;

int main() {
  run_two(
      [] {
        x = 1;
        stage = 1;
        stage.notify_one();
        stage.wait(1);
        x++;
      },
      [] {
        stage.wait(0);
        x++;
        stage = 2;
        stage.notify_all();
      });
  return x != 3;
}
