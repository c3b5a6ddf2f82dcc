// The workers of a pool fill slots and count down by relaxed operations, and main polls the count without taking the
// lock. To read a relaxed store synchronizes with nothing ([atomics.order]); main takes no lock between the submission
// and its reads, so all slots race ([intro.races]).
// RUN: %check %s

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class Pool {
 public:
  explicit Pool(int workers) {
    for (int i = 0; i < workers; i++) threads_.emplace_back([this] { work(); });
  }

  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  void submit(const std::vector<std::function<void()>>& tasks) {
    {
      std::lock_guard lock(mutex_);
      for (const auto& task : tasks) tasks_.push(task);
      unfinished_ += static_cast<int>(tasks.size());
    }
    changed_.notify_all();
  }

  void wait() {
    while (unfinished_.load(std::memory_order_relaxed) != 0) std::this_thread::yield();
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop();
      }
      task();
      unfinished_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<std::function<void()>> tasks_;
  std::atomic<int> unfinished_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

constexpr int kTasks = 8;
long results[kTasks];

int main() {
  Pool pool(2);
  std::vector<std::function<void()>> tasks;
  for (int i = 0; i < kTasks; i++) {
    tasks.push_back([i] {
      results[i] = i * i;  // RACE: observed results
    });
  }
  pool.submit(tasks);
  pool.wait();
  long sum = 0;
  for (int i = 0; i < kTasks; i++) {
    sum += results[i];  // RACE: observed results
  }
  return sum != 140;
}
