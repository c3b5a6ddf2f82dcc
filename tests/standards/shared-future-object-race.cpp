// Two threads get an object from copies of one shared future, and both change it: get gives each of them the same
// object, and orders only what came before the state was made ready ([futures.state], [futures.shared.future]).
// RUN: %check %s

#include <future>
#include <thread>

struct Totals {
  long items = 0;
  long bytes = 0;
};

Totals totals;

static void change_them(std::shared_future<Totals*> future) {
  future.get()->bytes += 10;  // RACE: observed totals.bytes
}

int main() {
  std::promise<Totals*> promise;
  std::shared_future<Totals*> future = promise.get_future().share();
  std::thread first(change_them, future);
  std::thread second(change_them, future);
  totals.items = 5;
  promise.set_value(&totals);
  first.join();
  second.join();
  return totals.items + totals.bytes < 15;
}
