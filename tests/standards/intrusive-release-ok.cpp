// The last owner deletes the object: it gives up its reference with release order, and an acquire fence stands before
// the deletion. The fence synchronizes with the other's decrement, whose value the last one read ([atomics.fences]).
// NORACE
// RUN: %check %s

#include <atomic>
#include <thread>

long total;

class Report {
 public:
  void add(int part, long lines) { lines_[part] = lines; }

  void release() {
    if (references_.fetch_sub(1, std::memory_order_release) == 1) {
      std::atomic_thread_fence(std::memory_order_acquire);
      delete this;
    }
  }

 private:
  ~Report() { total = lines_[0] + lines_[1]; }

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
