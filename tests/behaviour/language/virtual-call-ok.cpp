// Virtual calls of both threads on one object, which is destroyed after the join.
// NORACE
// RUN: %check %s

#include <memory>

#include "order.h"

struct Shape {
  virtual ~Shape() = default;
  virtual int sides() const = 0;
};
struct Square : Shape {
  int sides() const override { return 4; }
};
std::unique_ptr<Shape> shape;
int sums[2];

int main() {
  shape = std::make_unique<Square>();
  run_two([] { sums[0] = shape->sides(); }, [] { sums[1] = shape->sides(); });
  shape.reset();
  return sums[0] + sums[1] != 8;
}
