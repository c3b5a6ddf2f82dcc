// A weak_ptr either gets the object whole or not at all.
// NORACE
// RUN: %check %s

#include <memory>
#include <thread>

int main() {
  int sum = 0;
  for (int i = 0; i < 20; i++) {
    auto owner = std::make_shared<int>(1);
    std::weak_ptr<int> weak = owner;
    std::thread thread([weak, &sum] {
      if (auto strong = weak.lock()) sum += *strong;
    });
    owner.reset();
    thread.join();
  }
  return sum > 20;
}
