// A packaged task run by another thread.
// NORACE
// RUN: %check %s

#include <future>
#include <thread>

int x;

int main() {
  x = 1;
  std::packaged_task<int(int)> task([](int more) { return x += more; });
  std::future<int> result = task.get_future();
  std::thread thread(std::move(task), 41);
  int got = result.get();
  x++;
  thread.join();
  return got != 42 || x != 43;
}
