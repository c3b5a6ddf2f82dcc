// What C++ waits with: atomics, latches, barriers, semaphores, futures, local statics, once, stop tokens.
// RUN: %norn-c++ %s -o %t && %harmless
// RUN: %replays 2 %t

#include <atomic>
#include <barrier>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

static std::atomic<int> ready{0};
static std::atomic<bool> flag{false};
static std::latch all_here(3);
static std::barrier<> meeting(3);
static std::counting_semaphore<8> tokens(0);
static std::once_flag once;
static int made = 0;

struct Slow {
  Slow() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }
  int value = 7;
};

static int slow_value() {
  static Slow slow;
  return slow.value;
}

static void works() {
  ready.wait(0);
  all_here.arrive_and_wait();
  meeting.arrive_and_wait();
  std::call_once(once, [] {
    std::this_thread::yield();
    ++made;
  });
  assert(slow_value() == 7);
  tokens.acquire();
  while (!flag.load()) std::this_thread::yield();
}

int main() {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(works);
  std::jthread waits([](std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any condition;
    std::unique_lock lock(mutex);
    condition.wait(lock, stop, [] { return false; });
  });
  ready = 1;
  ready.notify_all();
  tokens.release(3);
  flag = true;
  auto answer = std::async(std::launch::async, [] { return 42; });
  assert(answer.get() == 42);
  waits.request_stop();
  for (auto& thread : threads) thread.join();
  assert(made == 1);
  std::puts("done");
}
