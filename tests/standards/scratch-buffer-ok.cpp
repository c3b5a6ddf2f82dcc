// A function formats into a buffer of its own, which is thread_local: each thread has one ([basic.stc.thread]).
// NORACE
// RUN: %check %s

#include <cstring>
#include <thread>

static std::size_t format(char fill, std::size_t length) {
  thread_local char scratch[64];
  std::memset(scratch, fill, length);
  std::size_t filled = 0;
  while (filled < length && scratch[filled] != 0) filled++;
  return filled;
}

int main() {
  std::size_t first = 0, second = 0;
  std::thread a([&first] { first = format('a', 40); });
  std::thread b([&second] { second = format('b', 40); });
  a.join();
  b.join();
  return first != 40 || second != 40;
}
