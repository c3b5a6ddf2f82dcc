// An object of thread storage duration is destroyed when its thread's function has returned ([basic.start.term]): after
// the semaphore was released that main waits for. Main reads what the destructor adds before it joins.
// RUN: %check %s

#include <semaphore>
#include <thread>

int total;
std::binary_semaphore done(0);

struct Counter {
  int count = 0;
  ~Counter() { total += count; }  // RACE: observed total
};
thread_local Counter counter;

static void work() {
  for (int i = 0; i < 10; i++) counter.count++;
  done.release();
}

int main() {
  std::thread worker(work);
  done.acquire();
  const int seen = total;  // RACE: observed total
  worker.join();
  return seen > 10;
}
