// The thread of an active object is stopped and joined in the destructor of the derived class, while that is whole. The
// end of the thread synchronizes with the return from join ([thread.thread.member]), and only then are members read.
// NORACE
// RUN: %check %s

#include <atomic>
#include <thread>

std::atomic<bool> stepped;
long total;

class Active {
 public:
  void start() {
    thread_ = std::thread([this] { run(); });
  }

  virtual ~Active() { stop(); }

 protected:
  virtual void step() {}

  void stop() {
    stopping_.store(true);
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run() {
    while (!stopping_.load()) {
      step();
    }
  }

  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

class Counter : public Active {
 public:
  ~Counter() override {
    stop();
    total = steps_;
  }

 protected:
  void step() override {
    steps_++;
    stepped.store(true, std::memory_order_relaxed);
    std::this_thread::yield();
  }

 private:
  long steps_ = 0;
};

int main() {
  {
    Counter counter;
    counter.start();
    // The thread has begun before the object's end; relaxed, so this orders nothing.
    while (!stepped.load(std::memory_order_relaxed)) std::this_thread::yield();
  }
  return total < 0;
}
