// A member is written while another thread deletes the object.
// RUN: %check %s

#include "order.h"

struct Account {
  int id = 1;
  int balance = 0;
};
Account* account = new Account;

static void writes() {
  account->balance = 1;  // RACE: observed balance
  end_turn();
}

static void deletes() {
  await_turn(1);
  delete account;  // RACE: observed balance
}

int main() { run_two(writes, deletes); }
