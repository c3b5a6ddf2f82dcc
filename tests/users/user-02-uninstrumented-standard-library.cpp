// Line 2: the parts of the standard library that were compiled without norn: exception_ptr, futures, shared state.
// NORACE
// RUN: %check %s

#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

int main() {
  int caught = 0;
  for (int round = 0; round < 20; round++) {
    std::exception_ptr error;
    std::thread([&error] {
      try {
        throw std::runtime_error("a message that does not fit into the string itself: " + std::to_string(42));
      } catch (...) {
        error = std::current_exception();
      }
    }).join();
    std::vector<std::future<size_t>> sizes;
    for (int i = 0; i < 3; i++) {
      sizes.push_back(std::async(std::launch::async, [error]() -> size_t {
        try {
          std::rethrow_exception(error);
        } catch (const std::runtime_error& got) {
          return std::string(got.what()).size();
        }
        return 0;
      }));
    }
    error = nullptr;
    for (auto& size : sizes) caught += size.get() > 0;
    auto failing = std::async(std::launch::async, []() -> int { throw std::logic_error("through a future"); });
    try {
      failing.get();
    } catch (const std::logic_error&) {
      caught++;
    }
  }
  return caught != 80;
}
