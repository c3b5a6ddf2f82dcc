// A thread waits on a condition_variable_any with a stop token. The reason to stop is written when stop was requested:
// nothing orders that and the thread whose wait was ended ([thread.condvarany.intwait]).
// RUN: %check %s

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

std::mutex lock;
std::condition_variable_any work;
bool has_work;
int reason;

static void wait_for_work(std::stop_token stop, int& seen) {
  std::unique_lock guard(lock);
  if (work.wait(guard, stop, [] { return has_work; })) return;
  guard.unlock();
  seen = reason;  // RACE: observed reason
}

int main() {
  int seen = 0;
  std::stop_source source;
  std::thread waiter(wait_for_work, source.get_token(), std::ref(seen));
  source.request_stop();
  reason = 3;  // RACE: observed reason
  waiter.join();
  return seen > 3;
}
