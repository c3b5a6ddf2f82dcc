// std::thread: creation and join order, arguments and captures are handed over.
// NORACE
// RUN: %check %s

#include <thread>
#include <vector>

int main() {
  std::vector<int> results(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; i++)
    threads.emplace_back([&results](int number) { results[static_cast<size_t>(number)] = number * number; }, i);
  for (auto& thread : threads) thread.join();
  return results[3] != 9;
}
