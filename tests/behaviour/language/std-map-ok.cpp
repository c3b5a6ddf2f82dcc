// A map under a mutex.
// NORACE
// RUN: %check %s

#include <map>
#include <mutex>
#include <string>

#include "order.h"

std::mutex mutex;
std::map<int, std::string> names;

static void fills(int first) {
  for (int i = 0; i < 30; i++) {
    std::lock_guard guard(mutex);
    names[first + i] = "a name that does not fit into the string: " + std::to_string(i);
    if (i % 2) names.erase(first + i - 1);
  }
}

int main() {
  run_two([] { fills(0); }, [] { fills(1000); });
  return names.size() != 30;
}
