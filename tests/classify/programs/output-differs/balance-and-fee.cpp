// A fee is computed of a balance that is being changed.
#include "threads.h"

struct Account {
  volatile int balance = 100;
  volatile int fee = 0;
};
static Account account;

static void* pays_in(void*) {
  // RACE pay compute: output-differs output: the fee is of the old or of the new balance
  account.balance = 300;  // @pay
  return nullptr;
}

static void* charges(void*) {
  later();
  account.fee = account.balance / 10;  // @compute
  return nullptr;
}

int main() {
  run_both(pays_in, charges);
  printf("%d\n", account.fee);
}
