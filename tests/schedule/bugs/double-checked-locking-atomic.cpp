// The same with an atomic pointer that is published before the object it points to is complete.
// BUG: kind=double-checked-locking preemptions=1 threads=3 shows=status finding=race:length
// FOUND-BY: race-directed
// CONFIRMED: 0.3 (a thread that looked before the publication waits for the lock, and then nobody reads early)
// RUN: %show %s
// RUN: %found %s
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "bug.h"

namespace {

struct Table {
  int length;
  int entries[4];
};

std::mutex mutex;
std::atomic<Table*> table{nullptr};
Table storage;

Table* get() {
  Table* known = table.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  std::lock_guard<std::mutex> guard(mutex);
  known = table.load(std::memory_order_relaxed);
  if (known == nullptr) {
    known = &storage;
    table.store(known, std::memory_order_release);
    step(0);
    step(2);
    known->length = 4;
  }
  return known;
}

std::atomic<int> too_short{0};

void use(int self) {
  if (self != 0) after_step(1);
  if (get()->length != 4) ++too_short;
  if (self == 1) step(1);
}

}  // namespace

int main() {
  std::vector<std::thread> users;
  for (int i = 0; i < 3; ++i) users.emplace_back(use, i);
  for (std::thread& user : users) user.join();
  return too_short == 0 ? 0 : 3;
}
