// Sleeps for ten seconds, in several ways; the order in which the sleepers wake is that of their times. Prints it.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable never;

void say(const char* who) {
  std::lock_guard<std::mutex> guard(mutex);
  std::puts(who);
}

}  // namespace

int main() {
  const auto begin = std::chrono::steady_clock::now();
  std::thread four([] {
    std::this_thread::sleep_for(std::chrono::seconds(8));
    say("sleep_for");
  });
  std::thread two([] {
    timespec seconds = {4, 0};
    nanosleep(&seconds, nullptr);
    say("nanosleep");
  });
  std::thread one([] {
    sleep(2);
    say("sleep");
  });
  std::thread three([] {
    {
      std::unique_lock<std::mutex> guard(mutex);
      never.wait_for(guard, std::chrono::seconds(6));
    }
    say("wait_for");
  });
  std::thread five([] {
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 10;
    sem_timedwait(&semaphore, &end);
    say("sem_timedwait");
  });
  for (std::thread* thread : {&one, &two, &three, &four, &five}) thread->join();
  const auto passed = std::chrono::steady_clock::now() - begin;
  std::puts(passed >= std::chrono::seconds(10) ? "ten seconds passed" : "too early");
}
