// A pool of threads that run tiny tasks from one queue, and a main thread that submits batches and waits for them.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>

#include "kernel.h"

namespace {

constexpr int kBatch = 256;
constexpr int kSlots = 16;  // of the task's own work

class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; ++i) crew_.emplace_back([this] { serve(); });
  }
  ~Pool() {
    {
      const std::lock_guard guard(mutex_);
      closing_ = true;
    }
    work_.notify_all();
    for (std::thread& member : crew_) member.join();
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void submit(std::function<void()> task) {
    {
      const std::lock_guard guard(mutex_);
      tasks_.push_back(std::move(task));
      ++unfinished_;
    }
    work_.notify_one();
  }

  void wait() {
    std::unique_lock guard(mutex_);
    idle_.wait(guard, [&] { return unfinished_ == 0; });
  }

 private:
  void serve() {
    std::unique_lock guard(mutex_);
    for (;;) {
      work_.wait(guard, [&] { return !tasks_.empty() || closing_; });
      if (tasks_.empty()) return;
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      guard.unlock();
      task();
      task = nullptr;
      guard.lock();
      if (--unfinished_ == 0) idle_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable idle_;
  std::deque<std::function<void()>> tasks_;
  int unfinished_ = 0;
  bool closing_ = false;
  std::vector<std::thread> crew_;
};

struct Job {
  uint64_t input = 0;
  uint64_t slots[kSlots] = {};
};

void work(Job& job) {
  uint64_t value = job.input + 1;  // not 0, which mixes to 0
  for (int round = 0; round < 8; ++round) {
    for (uint64_t& slot : job.slots) slot += value = kernel::mix(value);
  }
}

uint64_t run(const kernel::Arguments& arguments) {
  const int batches = arguments.rounds(7500);
  std::vector<Job> jobs(kBatch);
  uint64_t checksum = 0;
  {
    Pool pool(arguments.threads);
    for (int batch = 0; batch < batches; ++batch) {
      for (int i = 0; i < kBatch; ++i) {
        Job& job = jobs[static_cast<size_t>(i)];
        job = {static_cast<uint64_t>(batch) * kBatch + static_cast<uint64_t>(i), {}};
        // Captures more than a std::function holds in itself, as most tasks do.
        pool.submit([&job, batch, i] {
          if (job.input % kBatch == static_cast<uint64_t>(i) && batch >= 0) work(job);
        });
      }
      pool.wait();
      for (const Job& job : jobs) {
        kernel::check(job.slots[kSlots - 1] != 0, "every task has run");
        checksum = checksum * 31 + job.slots[kSlots - 1];
      }
    }
  }
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("task_pool", argc, argv, run); }
