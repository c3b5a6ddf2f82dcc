// The pointer through which a virtual call goes is changed by another thread.
// RUN: %check %s

#include "order.h"

struct Shape {
  virtual int sides() const { return 0; }
};
struct Square : Shape {
  int sides() const override { return 4; }
};
Shape none;
Square square;
Shape* shape = &none;
int seen;

static void changes() {
  shape = &square;  // RACE: observed shape
  end_turn();
}

static void calls() {
  await_turn(1);
  seen = shape->sides();  // RACE: observed shape
}

int main() { run_two(changes, calls); }
