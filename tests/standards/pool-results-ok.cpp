// The workers of a pool fill slots and count down under the mutex; main waits for zero under the same mutex. Each
// unlock synchronizes with the locks that come later ([thread.mutex.requirements.mutex]), also with that in which the
// wait ends
// ([thread.condition.condvar]), so every slot is written before main reads it.
// NORACE
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
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return unfinished_ == 0; });
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
      std::lock_guard lock(mutex_);
      if (--unfinished_ == 0) idle_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable idle_;
  std::queue<std::function<void()>> tasks_;
  int unfinished_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

constexpr int kTasks = 8;
long results[kTasks];

int main() {
  Pool pool(2);
  std::vector<std::function<void()>> tasks;
  for (int i = 0; i < kTasks; i++) {
    tasks.push_back([i] { results[i] = i * i; });
  }
  pool.submit(tasks);
  pool.wait();
  long sum = 0;
  for (int i = 0; i < kTasks; i++) {
    sum += results[i];
  }
  return sum != 140;
}
