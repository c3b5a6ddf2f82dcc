// Deposits are made while a named lock_guard holds the mutex to the end of the function
// ([thread.mutex.requirements.mutex], [thread.lock.guard]).
// NORACE
// RUN: %check %s

#include <mutex>
#include <thread>

std::mutex mutex;
long balance;

static void deposits(long amount) {
  std::lock_guard<std::mutex> lock{mutex};
  balance += amount;
}

int main() {
  std::thread a(deposits, 10);
  std::thread b(deposits, 20);
  a.join();
  b.join();
  return balance < 10;
}
