// A table is filled in call_once with one flag for all: one call is the active execution, and it synchronizes with the
// others ([thread.once.callonce]).
// NORACE
// RUN: %check %s

#include <mutex>
#include <thread>

int table[4];

static int square(int number) {
  static std::once_flag filled;
  std::call_once(filled, [] {
    for (int i = 0; i < 4; i++) table[i] = i * i;
  });
  return table[number];
}

int main() {
  int first = 0, second = 0;
  std::thread a([&first] { first = square(2); });
  std::thread b([&second] { second = square(3); });
  a.join();
  b.join();
  return first != 4 || second != 9;
}
