// An object deleted by one thread and got anew by another is a new object.
// NORACE
// RUN: %check %s

#include <memory>

#include "order.h"

struct Account {
  int id;
  long balance;
};

static void uses() {
  for (int i = 0; i < 50; i++) {
    auto account = std::make_unique<Account>(Account{i, i});
    account->balance++;
  }
}

int main() {
  run_two(
      [] {
        uses();
        end_turn();
      },
      [] {
        await_turn(1);
        uses();
      });
}
