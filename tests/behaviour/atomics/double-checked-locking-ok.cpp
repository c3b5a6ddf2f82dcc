// The same with an atomic pointer, released and acquired.
// NORACE
// RUN: %check %s

#include <atomic>
#include <mutex>

#include "order.h"

struct Config {
  int level = 3;
};
std::atomic<Config*> config;
std::mutex mutex;
int levels[2];

static Config* get() {
  Config* got = config.load(std::memory_order_acquire);
  if (!got) {
    std::lock_guard guard(mutex);
    got = config.load(std::memory_order_relaxed);
    if (!got) {
      got = new Config;
      config.store(got, std::memory_order_release);
    }
  }
  return got;
}

int main() {
  // Who comes to the lock in spite of the pointer being there by then, and reads it without acquiring, is ordered by
  // the lock alone: that is another case.
  run_two(
      [] {
        levels[0] = get()->level;
        end_turn();
      },
      [] {
        await_turn(1);
        levels[1] = get()->level;
      });
  return levels[0] + levels[1] != 6;
}
