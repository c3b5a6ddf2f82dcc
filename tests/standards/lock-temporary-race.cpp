// Deposits are made after a lock_guard without a name: a temporary, which unlocks at the end of its own statement
// ([class.temporary]). The deposit comes after the unlock, so the other thread's lock does not order it
// ([thread.mutex.requirements.mutex], [intro.races]).
// RUN: %check %s

#include <mutex>
#include <thread>

std::mutex mutex;
long balance;

static void deposits(long amount) {
  std::lock_guard<std::mutex>{mutex};
  balance += amount;  // RACE: observed balance
}

int main() {
  std::thread a(deposits, 10);
  std::thread b(deposits, 20);
  a.join();
  b.join();
  return balance < 10;
}
