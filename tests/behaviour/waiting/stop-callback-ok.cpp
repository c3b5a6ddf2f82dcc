// A stop callback runs in the thread that asks for the stop.
// NORACE
// RUN: %check %s

#include <stop_token>
#include <thread>

int x;

int main() {
  std::stop_source source;
  std::stop_callback callback(source.get_token(), [] { x++; });
  std::thread thread([&] {
    x = 1;
    source.request_stop();
  });
  thread.join();
  return x != 2;
}
