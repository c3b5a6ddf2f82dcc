// Racy shutdown: a plain flag tells the worker to stop, and its buffer is freed without waiting until it has.
// The compiler may read the flag once and for all; and the worker may still write when the buffer is gone.
// To mend it, make `stop` a std::atomic<bool> (or use a std::jthread), and join the worker before the buffer goes.
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

using namespace std::chrono_literals;

bool stop;
auto buffer = std::make_unique<int[]>(16);

void work() {
  for (int i = 0; !stop; i++) {
    if (buffer) buffer[i % 16] = i;
    std::this_thread::sleep_for(1ms);
  }
}

int main() {
  std::thread worker(work);
  std::this_thread::sleep_for(20ms);
  stop = true;
  buffer.reset();
  worker.join();
  std::puts("stopped");
}
