// condition_variable_any with a shared mutex.
// NORACE
// RUN: %check %s

#include <condition_variable>
#include <mutex>
#include <shared_mutex>

#include "order.h"

std::shared_mutex mutex;
std::condition_variable_any changed;
bool ready;
int x;

static void waits() {
  std::unique_lock lock(mutex);
  end_turn();
  changed.wait(lock, [] { return ready; });
  x++;
}

static void signals() {
  await_turn(1);
  std::unique_lock lock(mutex);
  x = 1;
  ready = true;
  changed.notify_all();
}

int main() {
  run_two(waits, signals);
  return x != 2;
}
