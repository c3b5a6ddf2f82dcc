// A base class starts its thread in the constructor: the thread may call a function that the derived class has yet to
// bring.
// BUG: kind=order preemptions=1 threads=2 shows=exception finding=race:this
// FOUND-BY: random pct pos
// RUN: %show %s
// RUN: %found %s
#include <thread>

#include "bug.h"

namespace {

class Service {
 public:
  Service() : thread_([this] { loop(); }) { step(1); }
  virtual ~Service() = default;
  void join() { thread_.join(); }

 protected:
  virtual void serve() = 0;

 private:
  void loop() {
    compute();
    serve();
    step(0);
  }
  std::thread thread_;
};

class Echo final : public Service {
 public:
  int served = 0;

 protected:
  void serve() override { ++served; }
};

}  // namespace

int main() {
  Echo echo;
  echo.join();
  return echo.served == 1 ? 0 : 3;
}
