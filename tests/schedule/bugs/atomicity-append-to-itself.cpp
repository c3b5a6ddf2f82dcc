// Appending one buffer to another asks for its length under the lock and copies under the lock again; it was cut short
// in between.
// BUG: kind=atomicity-multi preemptions=1 threads=2 shows=exception finding=none
// FOUND-BY: random pct pos rr
// RUN: %show %s
// RUN: %found %s
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "bug.h"

namespace {

class Buffer {
 public:
  explicit Buffer(std::string text) : text_(std::move(text)) {}
  size_t length() {
    std::lock_guard<std::mutex> guard(mutex_);
    return text_.size();
  }
  char at(size_t place) {
    std::lock_guard<std::mutex> guard(mutex_);
    return text_.at(place);
  }
  void cut(size_t length) {
    std::lock_guard<std::mutex> guard(mutex_);
    text_.resize(length);
  }
  void append(Buffer& other) {
    size_t count = other.length();
    step(0);
    step(3);
    for (size_t i = 0; i < count; ++i) {
      char next = other.at(i);
      std::lock_guard<std::mutex> guard(mutex_);
      text_.push_back(next);
    }
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

}  // namespace

int main() {
  Buffer first("norn"), second("thread");
  std::thread appending([&] { first.append(second); });
  std::thread cutting([&] {
    step(1);
    second.cut(2);
    step(2);
  });
  appending.join();
  cutting.join();
}
