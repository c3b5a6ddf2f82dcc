// async: what the task does comes before get.
// NORACE
// RUN: %check %s

#include <future>

int x;

int main() {
  x = 1;
  auto task = std::async(std::launch::async, [] { return ++x; });
  int got = task.get();
  x++;
  return got + x != 5;
}
