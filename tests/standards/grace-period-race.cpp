// A reader announces that it uses the current table, and says by a relaxed store when it does no more; a writer
// replaces the table and frees the old one when the reader was seen outside. Seen outside, but by a relaxed store: what
// the reader read is not ordered with the delete ([atomics.order], [basic.stc.dynamic.deallocation]).
// RUN: %check %s

#include <atomic>
#include <thread>

struct Table {
  int limit;
};

std::atomic<Table*> current;
std::atomic<int> inside = 0;
std::atomic<bool> has_read = false;
long sum;

static void reads() {
  inside.store(1, std::memory_order_seq_cst);
  sum += current.load(std::memory_order_seq_cst)->limit;  // RACE: observed <table>
  inside.store(0, std::memory_order_relaxed);
  has_read.store(true, std::memory_order_relaxed);
}

static void replaces() {
  // The read comes first, so that it is harmless; relaxed, so this orders nothing.
  while (!has_read.load(std::memory_order_relaxed)) std::this_thread::yield();
  Table* old = current.exchange(new Table{2}, std::memory_order_seq_cst);
  while (inside.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  delete old;  // RACE: observed <table>
}

int main() {
  current.store(new Table{1});
  std::thread reader(reads);
  std::thread writer(replaces);
  reader.join();
  writer.join();
  delete current.load();
  return sum != 1;
}
