// A deque for work stealing, whose owner publishes the bottom without a release fence: the thief finds a task by a
// relaxed store, and what the owner wrote into the task is not ordered with what the thief reads of it
// ([atomics.order], [atomics.fences]).
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
  bottom.store(at + 1, std::memory_order_relaxed);
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
  long stolen = 0;
  int count = 0;
  std::thread thief([&] {
    while (count < kTasks) {
      if (Task* task = steal()) {
        stolen += task->number;  // RACE: observed tasks
        count++;
      }
    }
  });
  for (long i = 0; i < kTasks; i++) {
    tasks[static_cast<std::size_t>(i)].number = 1;  // RACE: observed tasks
    push(&tasks[static_cast<std::size_t>(i)]);
  }
  thief.join();
  return stolen < 0 || stolen > kTasks;
}
