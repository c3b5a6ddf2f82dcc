// The first execution of call_once's function throws, the next one returns. Executions are in one order
// ([thread.once.callonce]), but whose call failed says so when all that is over: nothing orders that and the other
// thread's look.
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
  if (failed) {
    failures = 1;  // RACE: observed failures
  } else {
    seen = failures > 1 ? 0 : table;  // RACE: observed failures
  }
  if (failed) seen = table;
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
