// Two threads write lines to one string stream as it is. Only the standard streams may be written to by several threads
// ([iostream.objects.overview]); the position in this one's buffer is a shared object like any other
// ([res.on.objects]).
// RUN: %check %s

#include <atomic>
#include <sstream>
#include <thread>

std::ostringstream journal;
std::atomic<int> turn;

static void writes(int self) {
  // One after the other, so that the buffer stays whole; relaxed, so nothing is ordered.
  while (turn.load(std::memory_order_relaxed) != self) std::this_thread::yield();
  journal << "thread " << self << '\n';  // RACE: observed <journal>
  turn.store(self + 1, std::memory_order_relaxed);
}

int main() {
  std::thread a(writes, 0);
  std::thread b(writes, 1);
  a.join();
  b.join();
  return journal.str().size() != 2 * 9;
}
