// Producers of a ring take a place by raising the index that consumers look at, and fill it afterwards.
// After the reason for the sequence numbers in Thompson and others, "Disruptor" (2011), and in Vyukov's bounded queue.
// BUG: kind=order preemptions=1 threads=5 shows=assertion finding=none
// RUN: %show %s
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "bug.h"

namespace {

constexpr int kProducers = 4;
std::array<std::atomic<int>, kProducers> ring;
std::atomic<int> last{0};

void produce(int self) {
  if (self != 0) after_step(4);
  const int place = last.fetch_add(1);
  if (self == 0) step(0), step(3);
  ring[place].store(1);
}

void consume() {
  step(1);
  const int end = last.load();
  for (int i = 0; i < end; ++i) assert(ring[i].load() == 1);
  step(2);
}

}  // namespace

int main() {
  std::vector<std::thread> producers;
  for (int i = 0; i < kProducers; ++i) producers.emplace_back(produce, i);
  std::thread consumer(consume);
  for (std::thread& producer : producers) producer.join();
  consumer.join();
}
