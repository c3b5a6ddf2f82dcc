// A stop request comes before who sees it; the jthread joins at the end of its scope.
// NORACE
// RUN: %check %s

#include <stop_token>
#include <thread>

int x, y;

int main() {
  {
    std::jthread thread([](std::stop_token stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
      x++;
      y = 1;
    });
    x = 1;
    thread.request_stop();
  }
  return x + y != 3;
}
