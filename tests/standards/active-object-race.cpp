// The thread of an active object is stopped and joined in the destructor of the base, when the derived part is gone.
// Its destructor reads a member that the thread writes, and nothing orders the two ([intro.races]); the thread also
// calls a virtual function of an object that is being destroyed ([class.cdtor], [basic.life]).
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

  virtual ~Active() {  // MAYBE: <object>
    stop();
  }

 protected:
  virtual void step() {}

  void stop() {
    stopping_.store(true);
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run() {
    while (!stopping_.load()) {
      step();  // MAYBE: <object>
    }
  }

  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

class Counter : public Active {
 public:
  ~Counter() override {  // MAYBE: <object>
    total = steps_;      // RACE: observed <object>
  }  // MAYBE: <object>

 protected:
  void step() override {
    steps_++;  // RACE: observed <object>
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
  }  // MAYBE: <object>
  return total < 0;
}
