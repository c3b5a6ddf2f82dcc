#include "accounts.h"
void Accounts::deposit(const std::string& name, int amount) {
  balances[name] += amount;
  total += amount;
}
