// Items go through a queue under a mutex, without a condition variable; what they point to is used outside it.
// NORACE
// RUN: %check %s

#include <deque>
#include <mutex>

#include "order.h"

struct Item {
  int value = 0;
};

std::mutex mutex;
std::deque<Item*> queue;
Item items[3];
int sum;

static void produces() {
  for (Item& item : items) {
    item.value = 1;
    const std::lock_guard lock(mutex);
    queue.push_back(&item);
  }
  end_turn();
}

static void consumes() {
  await_turn(1);
  for (;;) {
    Item* item = nullptr;
    {
      const std::lock_guard lock(mutex);
      if (queue.empty()) return;
      item = queue.front();
      queue.pop_front();
    }
    sum += item->value++;
  }
}

int main() { run_two(produces, consumes); }
