// Threads count into the elements of a plain array through std::atomic_ref, and one looks at them meanwhile as plain
// numbers. While a reference exists an object may be accessed through such references alone ([atomics.ref.generic]);
// the plain read is a data race ([intro.races]).
// RUN: %check %s

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>

std::array<long, 4> bins;
long fullest;

static void count(int first) {
  for (int number = first; number < first + 100; number++) {
    std::atomic_ref bin(bins[static_cast<std::size_t>(number) % bins.size()]);
    bin.fetch_add(1, std::memory_order_relaxed);  // RACE: observed bins
  }
}

static void watch() {
  for (long bin : bins) {  // RACE: observed bins
    if (bin > fullest) fullest = bin;
  }
}

int main() {
  std::thread a(count, 0);
  std::thread b(watch);
  a.join();
  b.join();
  return fullest > 25;
}
