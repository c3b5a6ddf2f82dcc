// A reader announces that it uses the current table, and says when it does no more; a writer replaces the table and
// frees the old one when the reader was seen outside. The reader's release is read by the writer's acquire
// ([atomics.order]), and the announcement and the replacement are seq_cst, so that one of the two sees the other
// ([atomics.order]p4).
// NORACE
// RUN: %check %s

#include <atomic>
#include <thread>

struct Table {
  int limit;
};

std::atomic<Table*> current;
std::atomic<int> inside = 0;
long sum;

static void reads() {
  for (int i = 0; i < 100; i++) {
    inside.store(1, std::memory_order_seq_cst);
    sum += current.load(std::memory_order_seq_cst)->limit;
    inside.store(0, std::memory_order_release);
  }
}

static void replaces() {
  for (int i = 0; i < 5; i++) {
    Table* old = current.exchange(new Table{1}, std::memory_order_seq_cst);
    while (inside.load(std::memory_order_seq_cst) != 0) std::this_thread::yield();
    delete old;
  }
}

int main() {
  current.store(new Table{1});
  std::thread reader(reads);
  std::thread writer(replaces);
  reader.join();
  writer.join();
  delete current.load();
  return sum != 100;
}
