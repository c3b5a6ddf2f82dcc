// A table is filled in call_once with a flag that each call makes for itself: static was forgotten. Each is the active
// execution of its own flag ([thread.once.callonce]), and both fill the table ([intro.races]).
// RUN: %check %s

#include <mutex>
#include <thread>

int table[4];

static int square(int number) {
  std::once_flag filled;
  std::call_once(filled, [] {
    for (int i = 0; i < 4; i++) table[i] = i * i;  // RACE: observed table
  });
  return table[number];  // MAYBE: table
}

int main() {
  int first = 0, second = 0;
  std::thread a([&first] { first = square(2); });
  std::thread b([&second] { second = square(3); });
  a.join();
  b.join();
  return first != 4 || second != 9;
}
