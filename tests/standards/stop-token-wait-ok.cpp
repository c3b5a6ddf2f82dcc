// A thread waits on a condition_variable_any with a stop token. A call to request_stop that returns true synchronizes
// with a call to stop_requested that returns true ([stopsource.mem], [stoptoken.mem]), which ends the wait
// ([thread.condvarany.intwait]): the reason that was written before it can be read.
// NORACE
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
  seen = reason;
}

int main() {
  int seen = 0;
  std::stop_source source;
  std::thread waiter(wait_for_work, source.get_token(), std::ref(seen));
  reason = 3;
  source.request_stop();
  waiter.join();
  return seen > 3;
}
