// Lost update: `visits++` reads, adds and writes. Two threads may read the same number, and one visit is lost.
// Run it a few times without norn: the sum is often right, which is why such bugs live long. norn sees it every time.
// To mend it, make `visits` a std::atomic<int>, or hold a mutex around the increment.
#include <cstdio>
#include <thread>

int visits;

void visit() {
  for (int i = 0; i < 100000; i++) visits++;
}

int main() {
  std::thread first(visit), second(visit);
  first.join();
  second.join();
  std::printf("%d visits\n", visits);
}
