// A configuration is replaced while it is read. The reader says in a hazard pointer which one it uses and looks once
// more whether it is still the present one; who replaces it frees the old one only when no hazard pointer has it. All
// of it is sequentially consistent ([atomics.order]): either the reader sees the new one, or its pointer is seen; and
// who sees it gone is ordered after the reads ([intro.races]).
// NORACE
// RUN: %check %s

#include <atomic>
#include <thread>

struct Config {
  int limit;
  int timeout;
};

std::atomic<Config*> current{new Config{0, 0}};
std::atomic<Config*> hazard{nullptr};

static void reads(long* sum) {
  for (int i = 0; i < 50; i++) {
    Config* config;
    do {
      config = current.load();
      hazard.store(config);
    } while (config != current.load());
    *sum += config->limit + config->timeout;
    hazard.store(nullptr);
  }
}

static void replaces() {
  for (int i = 1; i <= 50; i++) {
    Config* old = current.exchange(new Config{i, -i});
    while (hazard.load() == old) std::this_thread::yield();
    delete old;
  }
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
