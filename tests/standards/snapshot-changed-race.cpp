// Readers take snapshots of a configuration from an atomic shared_ptr; a change is made in the published object itself.
// Only the pointer is atomic ([util.smartptr.atomic.shared]); both have it before one of them touches the object, and
// neither gives it back before: nothing orders the write and the read ([intro.races]).
// RUN: %check %s

#include <atomic>
#include <memory>
#include <thread>

struct Config {
  int limit = 10;
  int timeout = 5;
};

std::atomic<std::shared_ptr<Config>> current;
std::atomic<int> holders;

// Returns when both threads have their snapshot; relaxed, so this orders nothing.
static void both_hold() {
  holders.fetch_add(1, std::memory_order_relaxed);
  while (holders.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
}

static void reads(int* seen) {
  std::shared_ptr<Config> config = current.load();
  both_hold();
  *seen = config->limit;  // RACE: observed <limit>
}

static void changes() {
  std::shared_ptr<Config> config = current.load();
  both_hold();
  config->limit = 20;  // RACE: observed <limit>
}

int main() {
  current.store(std::make_shared<Config>());
  int seen = 0;
  std::thread reader(reads, &seen);
  std::thread writer(changes);
  reader.join();
  writer.join();
  return (seen != 10 && seen != 20) || current.load()->limit != 20;
}
