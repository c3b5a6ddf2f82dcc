// What is made and handed over under a lock, in C++: objects with virtual functions, containers, shared pointers.
// NORACE
// UNORDERED: crash: the blocks may not be there yet
// RUN: %check %s

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "order.h"

struct Shape {
  explicit Shape(int size) : size_(size), name_("a shape with a name that is too long to be in the string itself") {}
  virtual ~Shape() = default;
  [[nodiscard]] virtual int area() const { return size_; }

 protected:
  int size_;
  std::string name_;
};

struct Square : Shape {
  using Shape::Shape;
  [[nodiscard]] int area() const override { return size_ * size_ + static_cast<int>(name_.size()); }
};

std::mutex mutex;
std::vector<std::shared_ptr<const Shape>> shapes;
std::unique_ptr<std::map<int, std::string>> names;
std::vector<int>* numbers;
int sum;

static void first() {
  auto shape = std::make_shared<Square>(3);
  {
    std::lock_guard guard(mutex);
    shapes.push_back(std::move(shape));
  }
  auto made = std::make_unique<std::map<int, std::string>>();
  for (int i = 0; i < 100; ++i) (*made)[i] = std::string(static_cast<size_t>(i), 'x');
  {
    std::lock_guard guard(mutex);
    names = std::move(made);
  }
  auto* filled = new std::vector<int>;
  for (int i = 0; i < 10000; ++i) filled->push_back(i);
  {
    std::lock_guard guard(mutex);
    numbers = filled;
  }
  end_turn();
}

static void second() {
  await_turn(1);
  std::shared_ptr<const Shape> shape;
  std::unique_ptr<std::map<int, std::string>> taken;
  std::vector<int>* filled = nullptr;
  {
    std::lock_guard guard(mutex);
    shape = shapes.back();
    taken = std::move(names);
    filled = numbers;
  }
  sum = shape->area() + static_cast<int>(taken->at(50).size()) + filled->back();
  delete filled;
}

int main() {
  run_two(first, second);
  return sum == 0;
}
