// Spurious wake-up: a wait may end though nobody signalled. Who then goes on without looking again is too early.
// Here a time-out stands for the wake-up that cannot be had at will: the guest eats what is still being cooked.
// To mend it, wait with a condition, `served.wait(lock, [] { return dishes > 0; })`, and cook under the mutex.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

using namespace std::chrono_literals;

std::mutex mutex;
std::condition_variable served;
int dishes;

void cook() {
  std::this_thread::sleep_for(50ms);
  dishes = 1;
  served.notify_one();
}

void eat() {
  std::unique_lock lock(mutex);
  served.wait_for(lock, 10ms);
  std::printf("%d dishes on the table\n", dishes);
}

int main() {
  std::thread kitchen(cook), guest(eat);
  kitchen.join();
  guest.join();
}
