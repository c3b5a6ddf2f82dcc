// The condition is a virtual function.
// NORACE
// RUN: %check-loops %s

#include "order.h"

struct Ask {
  virtual ~Ask() = default;
  virtual bool done() const = 0;
};
struct Flag final : Ask {
  volatile bool set = false;
  [[gnu::noinline]] bool done() const override { return set; }
};

int early, late;
Flag first, second;
Ask* volatile asks[2] = {&first, &second};

static void sets() {
  early = 1;
  first.set = true;
  end_turn();
  await_turn(2);
  late = 1;
  second.set = true;
}

static void waits() {
  int rounds = 0;
  await_turn(1);
  const Ask* one = asks[0];
  const Ask* two = asks[1];
  while (!one->done()) come_round(&rounds);
  early = 2;
  while (!two->done()) come_round(&rounds);
  late = 2;
}

int main() { run_two(sets, waits); }
