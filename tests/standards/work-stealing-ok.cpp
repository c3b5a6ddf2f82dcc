// A deque for work stealing (after Chase and Lev, with the fences of Lê, Pop, Cohen and Zappa Nardelli, PPoPP 2013):
// the owner pushes and takes at the bottom, a thief steals at the top. The owner's release fence before it publishes
// the bottom, and the thief's acquire of it, order a task's making before its use ([atomics.fences]).
// NORACE
// RUN: %check %s

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>

struct Task {
  int number = 0;
};

constexpr long kTasks = 50;
std::array<Task, kTasks> tasks;
std::array<std::atomic<Task*>, 64> slots;
std::atomic<long> top = 0, bottom = 0;

static void push(Task* task) {
  long at = bottom.load(std::memory_order_relaxed);
  slots[static_cast<std::size_t>(at) % slots.size()].store(task, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  bottom.store(at + 1, std::memory_order_relaxed);
}

static Task* take() {
  long at = bottom.load(std::memory_order_relaxed) - 1;
  bottom.store(at, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  long first = top.load(std::memory_order_relaxed);
  if (first > at) {
    bottom.store(at + 1, std::memory_order_relaxed);
    return nullptr;
  }
  Task* task = slots[static_cast<std::size_t>(at) % slots.size()].load(std::memory_order_relaxed);
  if (first == at) {
    if (!top.compare_exchange_strong(first, first + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
      task = nullptr;
    bottom.store(at + 1, std::memory_order_relaxed);
  }
  return task;
}

static Task* steal() {
  long first = top.load(std::memory_order_acquire);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  long end = bottom.load(std::memory_order_acquire);
  if (first >= end) return nullptr;
  Task* task = slots[static_cast<std::size_t>(first) % slots.size()].load(std::memory_order_relaxed);
  if (!top.compare_exchange_strong(first, first + 1, std::memory_order_seq_cst, std::memory_order_relaxed))
    return nullptr;
  return task;
}

int main() {
  std::atomic<bool> all_pushed = false;
  long stolen = 0, taken = 0;
  std::thread thief([&] {
    for (;;) {
      bool last = all_pushed.load(std::memory_order_relaxed);
      if (Task* task = steal()) {
        stolen += task->number;
      } else if (last) {
        break;
      }
    }
  });
  for (long i = 0; i < kTasks; i++) {
    tasks[static_cast<std::size_t>(i)].number = 1;
    push(&tasks[static_cast<std::size_t>(i)]);
  }
  for (int i = 0; i < kTasks / 2; i++) {
    if (Task* task = take()) taken += task->number;
  }
  all_pushed.store(true, std::memory_order_relaxed);
  thief.join();
  while (Task* task = take()) taken += task->number;
  return stolen + taken != kTasks;
}
