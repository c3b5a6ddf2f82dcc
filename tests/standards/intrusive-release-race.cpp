// The last owner deletes the object: references are given up with release order, and nothing acquires. Without an
// acquire operation there is nothing that a release could synchronize with ([atomics.order]), so the other's write to
// the object is not ordered before the destructor that reads it ([intro.races]).
// RUN: %check %s

#include <atomic>
#include <thread>

long total;

class Report {
 public:
  void add(int part, long lines) {
    lines_[part] = lines;  // RACE: observed <report>
  }

  void release() {
    if (references_.fetch_sub(1, std::memory_order_release) == 1) {  // MAYBE: <report>
      delete this;                                                   // MAYBE: <report>
    }
  }

 private:
  ~Report() {
    total = lines_[0] + lines_[1];  // RACE: observed <report>
  }

  std::atomic<int> references_ = 2;
  long lines_[2] = {0, 0};
};

int main() {
  auto* report = new Report;
  std::thread a([report] {
    report->add(0, 10);
    report->release();
  });
  std::thread b([report] {
    report->add(1, 20);
    report->release();
  });
  a.join();
  b.join();
  return total != 30;
}
