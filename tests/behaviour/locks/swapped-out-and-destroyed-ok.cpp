// A map is swapped out under the lock and destroyed outside of it. Had that come first, nobody had found its nodes.
// NORACE
// RUN: %check %s

#include <map>
#include <mutex>
#include <thread>

#include "order.h"

std::map<int, int> shared;
std::mutex mutex;

static void add() {
  const std::lock_guard<std::mutex> guard(mutex);
  shared[1]++;
  shared[2]++;
}

static void take() {
  std::map<int, int> mine;
  mutex.lock();
  shared.swap(mine);
  mutex.unlock();
}

int main() {
  std::thread first([] {
    add();
    end_turn();
  });
  std::thread second([] {
    await_turn(1);
    add();
    end_turn();
  });
  std::thread third([] {
    await_turn(2);
    take();
  });
  first.join();
  second.join();
  third.join();
}
