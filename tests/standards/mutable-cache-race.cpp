// A const member function keeps its result in a mutable member, and two threads call it for one object. The standard
// library expects const to mean that this is safe ([res.on.data.races]); it is not: whoever comes first writes the
// member, and the other reads it with nothing between them ([intro.races]).
// RUN: %check %s

#include <cmath>
#include <mutex>
#include <thread>

class Polygon {
 public:
  Polygon(int sides, double length) : sides_(sides), length_(length) {}

  double area() const {
    if (area_ < 0) {                                                       // RACE: observed polygon
      area_ = sides_ * length_ * length_ / (4 * std::tan(M_PI / sides_));  // RACE: observed polygon
    }
    return area_;  // MAYBE: polygon
  }

 private:
  int sides_;
  double length_;
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
