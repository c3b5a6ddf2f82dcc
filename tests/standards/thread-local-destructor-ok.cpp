// An object of thread storage duration is destroyed before its thread has completed ([basic.start.term]), so that who
// joined the thread comes after the destructor ([thread.thread.member]).
// NORACE
// RUN: %check %s

#include <semaphore>
#include <thread>

int total;
std::binary_semaphore done(0);

struct Counter {
  int count = 0;
  ~Counter() { total += count; }
};
thread_local Counter counter;

static void work() {
  for (int i = 0; i < 10; i++) counter.count++;
  done.release();
}

int main() {
  std::thread worker(work);
  done.acquire();
  worker.join();
  const int seen = total;
  return seen > 10;
}
