// The task's result is handed over; what its caller does meanwhile is not ordered.
// RUN: %check %s

#include <future>
#include <thread>

#include "order.h"

int x;

int main() {
  std::packaged_task<void()> task([] {
    x = 1;  // RACE: observed x
    end_turn();
  });
  std::future<void> result = task.get_future();
  std::thread thread(std::move(task));
  await_turn(1);
  x = 2;  // RACE: observed x
  result.get();
  thread.join();
}
