#include <thread>

#include "accounts.h"
int rounds;
int main() {
  Accounts accounts;
  std::thread one([&] { accounts.deposit("a", 1); });
  std::thread two([&] { accounts.deposit("b", 2); });
  one.join();
  two.join();
#pragma omp parallel for
  for (int i = 0; i < 2; ++i) rounds += i;
}
