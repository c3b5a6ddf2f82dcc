// The loop asks at its end.
#include "threads.h"

static volatile bool is_open;
static int price, paid;

static void* opens(void*) {
  // RACE price pay: single-ordering: the loop before the read waits for the flag that follows this write
  price = 30;  // @price
  // RACE open wait: single-ordering: the loop waits for this very write
  is_open = true;  // @open
  return nullptr;
}

static void* buys(void*) {
  bool now;
  do {
    sched_yield();
    now = is_open;  // @wait
  } while (!now);
  paid = price;  // @pay
  return nullptr;
}

int main() {
  run_both(opens, buys);
  printf("%d\n", paid);
}
