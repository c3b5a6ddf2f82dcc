// The first execution of call_once's function throws, the next one returns. Executions are in one order, each of which
// ends before the next begins, and the one that returned comes before all who pass ([thread.once.callonce]): what they
// count, and what is made, needs no lock.
// NORACE
// RUN: %check %s

#include <mutex>
#include <stdexcept>
#include <thread>

std::once_flag once;
int attempts;
int table;
int failures;

static void make() {
  if (attempts++ == 0) throw std::runtime_error("not yet");
  table = 42;
}

static void use(bool& failed, int& seen) {
  try {
    std::call_once(once, make);
  } catch (const std::runtime_error&) {
    failed = true;
    std::call_once(once, make);
  }
  seen = table + (attempts > 2 ? 1 : 0);
}

int main() {
  bool failed[2] = {};
  int seen[2] = {};
  std::thread first([&] { use(failed[0], seen[0]); });
  std::thread second([&] { use(failed[1], seen[1]); });
  first.join();
  second.join();
  return seen[0] + seen[1] < 42 || failed[0] == failed[1];
}
