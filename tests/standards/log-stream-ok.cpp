// Two threads write lines to one string stream, each through an osyncstream, which gives what it collected to the
// stream's buffer at once when it is destroyed, one after the other ([syncstream.syncbuf.members]: emit).
// NORACE
// RUN: %check %s

#include <sstream>
#include <syncstream>
#include <thread>

std::ostringstream journal;

static void writes(int self) {
  for (int i = 0; i < 5; i++) std::osyncstream(journal) << "thread " << self << " line " << i << '\n';
}

int main() {
  std::thread a(writes, 1);
  std::thread b(writes, 2);
  a.join();
  b.join();
  return journal.str().size() != 10 * 16;
}
