// A const member function keeps its result in a mutable member, computed in call_once: the one active execution
// synchronizes with all others that return ([thread.once.callonce]), so the result is written before it is read.
// NORACE
// RUN: %check %s

#include <cmath>
#include <mutex>
#include <thread>

class Polygon {
 public:
  Polygon(int sides, double length) : sides_(sides), length_(length) {}

  double area() const {
    std::call_once(computed_, [this] { area_ = sides_ * length_ * length_ / (4 * std::tan(M_PI / sides_)); });
    return area_;
  }

 private:
  int sides_;
  double length_;
  mutable std::once_flag computed_;
  mutable double area_ = -1;
};

const Polygon polygon(4, 2);

int main() {
  double first = 0, second = 0;
  std::thread a([&first] { first = polygon.area(); });
  std::thread b([&second] { second = polygon.area(); });
  a.join();
  b.join();
  return std::fabs(first - 4) > 0.001 || std::fabs(second - 4) > 0.001;
}
