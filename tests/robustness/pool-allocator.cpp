// Objects from a pool of the program's own, given back to it and got again, under its mutex.
// With the happens-before relation alone: what orders one user after the other is who had the mutex first.
// NORACE
// ENGINES: hb
// RUN: %check %s

#include <mutex>
#include <new>
#include <vector>

#include "order.h"

struct Node {
  explicit Node(int first) : value(first) {}
  int value;
};

class Pool {
 public:
  void* get() {
    std::lock_guard guard(mutex_);
    if (free_.empty()) return ::operator new(sizeof(Node));
    void* place = free_.back();
    free_.pop_back();
    return place;
  }
  void give_back(void* place) {
    std::lock_guard guard(mutex_);
    free_.push_back(place);
  }
  ~Pool() {
    for (void* place : free_) ::operator delete(place);
  }

 private:
  std::mutex mutex_;
  std::vector<void*> free_;
};
Pool pool;

static void uses() {
  for (int i = 0; i < 200; i++) {
    auto* node = new (pool.get()) Node(i);
    node->value++;
    node->~Node();
    pool.give_back(node);
  }
}

int main() { run_two(uses, uses); }
