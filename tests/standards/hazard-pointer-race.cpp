// A configuration is replaced while it is read. The reader says in a hazard pointer which one it uses, but who replaces
// it frees the old one without a look at that: the reads and the end of its lifetime are not ordered ([basic.life],
// [intro.races]).
// RUN: %check %s

#include <atomic>
#include <thread>

struct Config {
  int limit;
  int timeout;
};

std::atomic<Config*> current{new Config{3, -3}};
std::atomic<Config*> hazard{nullptr};
std::atomic<bool> was_read;

static void reads(long* sum) {
  Config* config;
  do {
    config = current.load();
    hazard.store(config);
  } while (config != current.load());
  *sum += config->limit + config->timeout;  // RACE: observed <config>
  was_read.store(true, std::memory_order_relaxed);
  hazard.store(nullptr);
}

static void replaces() {
  // Not before it was read; relaxed, so nothing is ordered.
  while (!was_read.load(std::memory_order_relaxed)) std::this_thread::yield();
  Config* old = current.exchange(new Config{4, -4});
  delete old;  // RACE: observed <config>
}

int main() {
  long sum = 0;
  std::thread reader(reads, &sum);
  std::thread writer(replaces);
  reader.join();
  writer.join();
  delete current.load();
  return sum != 0;
}
