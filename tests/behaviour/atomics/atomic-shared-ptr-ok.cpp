// A shared pointer that is atomic: its own lock orders those who take it.
// NORACE
// RUN: %check %s

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

struct Config {
  int number;
  int twice;
};

std::atomic<std::shared_ptr<Config>> config;
std::atomic<std::weak_ptr<Config>> weak;

int main() {
  config.store(std::make_shared<Config>(0, 0));
  std::vector<std::thread> threads;
  for (int k = 0; k < 2; k++) {
    threads.emplace_back([k] {
      for (int i = 0; i < 100; i++) {
        auto made = std::make_shared<Config>(i, 2 * i);
        if (k == 0) {
          config.store(made);
        } else {
          auto old = config.load();
          config.compare_exchange_strong(old, made);
        }
        weak.store(made);
        auto previous = config.exchange(made);
        if (previous->twice != 2 * previous->number) abort();
      }
    });
  }
  for (int k = 0; k < 2; k++) {
    threads.emplace_back([] {
      for (int i = 0; i < 100; i++) {
        std::shared_ptr<Config> seen = config.load();
        if (seen->twice != 2 * seen->number) abort();
        if (std::shared_ptr<Config> alive = weak.load().lock()) {
          if (alive->twice != 2 * alive->number) abort();
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
}
