// One thread sums up a vector and another appends to it: "the elements that are there do not change". push_back changes
// the vector itself, and gives up its old memory ([container.requirements.dataraces], [res.on.data.races]); nothing
// orders the reader's size() and elements with it ([intro.races]).
// RUN: %check %s

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

std::vector<int> table(4, 1);
std::atomic<bool> was_read;
long sum;

static void sums_up() {  // MAYBE: <table>
  {
    for (std::size_t i = 0; i < table.size(); i++) sum += table[i];  // RACE: observed <table>
  }
  was_read.store(true, std::memory_order_relaxed);
}

static void appends() {
  // The read comes first, so that it is harmless; relaxed, so this orders nothing.
  while (!was_read.load(std::memory_order_relaxed)) std::this_thread::yield();
  for (int i = 0; i < 8; i++) table.push_back(i);  // RACE: observed <table>
}

int main() {
  std::thread reader(sums_up);
  std::thread writer(appends);
  reader.join();
  writer.join();
  return sum != 4 || table.size() != 12;
}
