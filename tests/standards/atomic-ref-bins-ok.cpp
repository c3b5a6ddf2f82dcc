// Threads count into the elements of a plain array through std::atomic_ref; main reads them as plain numbers when the
// threads are joined and no reference exists any more ([atomics.ref.generic]).
// NORACE
// RUN: %check %s

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>

std::array<long, 4> bins;

static void count(int first) {
  for (int number = first; number < first + 100; number++) {
    std::atomic_ref bin(bins[static_cast<std::size_t>(number) % bins.size()]);
    bin.fetch_add(1, std::memory_order_relaxed);
  }
}

int main() {
  std::thread a(count, 0);
  std::thread b(count, 50);
  a.join();
  b.join();
  long sum = 0;
  for (long bin : bins) sum += bin;
  return sum != 200;
}
