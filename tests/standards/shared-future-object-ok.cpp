// Two threads get an object from copies of one shared future and read it: making the state ready synchronizes with each
// get ([futures.state]), and reads do not conflict.
// RUN: %check %s
// NORACE

#include <future>
#include <thread>

struct Totals {
  long items = 0;
  long bytes = 0;
};

static void read_them(std::shared_future<Totals*> future, long* seen) { *seen = future.get()->items; }

int main() {
  Totals totals;
  long seen[2];
  std::promise<Totals*> promise;
  std::shared_future<Totals*> future = promise.get_future().share();
  std::thread first(read_them, future, &seen[0]);
  std::thread second(read_them, future, &seen[1]);
  totals.items = 5;
  promise.set_value(&totals);
  first.join();
  second.join();
  return seen[0] + seen[1] != 10;
}
