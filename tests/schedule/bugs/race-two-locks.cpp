// Sixteen tellers; each account has its lock, but the bank's total is written under whichever lock is held.
// BUG: kind=data-race preemptions=1 threads=16 shows=status finding=race:total
// FOUND-BY: race-directed pos
// RUN: %show %s
// RUN: %found %s
#include <array>
#include <mutex>
#include <thread>
#include <vector>

#include "bug.h"

namespace {

struct Account {
  std::mutex mutex;
  int balance = 0;
};

std::array<Account, 4> accounts;
int total;

void deposit(int teller) {
  Account& account = accounts[teller % accounts.size()];
  std::lock_guard<std::mutex> guard(account.mutex);
  account.balance += 10;
  if (teller == 1) step(1);
  int before = total;
  if (teller == 0) step(0), step(3);
  total = before + 10;
  if (teller == 1) step(2);
}

}  // namespace

int main() {
  std::vector<std::thread> tellers;
  for (int i = 0; i < 16; ++i) tellers.emplace_back(deposit, i);
  for (std::thread& teller : tellers) teller.join();
  return total == 160 ? 0 : 3;
}
