// Readers take snapshots of a configuration from an atomic shared_ptr; a change is made to a copy, which is then
// stored. The store synchronizes with the load that takes its value ([util.smartptr.atomic.shared]); what is published
// is never written again.
// NORACE
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
  *seen = config->limit;
}

static void changes() {
  std::shared_ptr<Config> config = current.load();
  both_hold();
  auto changed = std::make_shared<Config>(*config);
  changed->limit = 20;
  current.store(changed);
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
