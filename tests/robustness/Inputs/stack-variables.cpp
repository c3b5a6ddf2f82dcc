// Two objects on main's stack, one of them in a function that is inlined, and their locks.
#include <pthread.h>

#include <mutex>
#include <thread>
#include <vector>

#include "order.h"

struct Queue {
  std::mutex mutex;
  std::vector<int> items;
  struct {
    int pushed, popped;
  } counts[2] = {};
  bool stop = false;

  void close() { stop = true; }
  void work() {
    std::lock_guard guard(mutex);
    if (!stop) counts[1].popped = 3;
    items.push_back(1);
  }
};

static pthread_mutex_t locks[4];

static inline __attribute__((always_inline)) void count_ticks() {
  struct {
    pthread_mutex_t lock;
    long ticks;
  } clock = {PTHREAD_MUTEX_INITIALIZER, 0};
  std::thread thread([&clock] {
    pthread_mutex_lock(&clock.lock);
    clock.ticks = 1;
    pthread_mutex_unlock(&clock.lock);
    end_turn();
  });
  await_turn(3);
  pthread_mutex_lock(&locks[2]);
  clock.ticks = 2;
  pthread_mutex_unlock(&locks[2]);
  thread.join();
}

int main() {
  Queue queue;
  std::thread thread([&queue] {
    queue.work();
    end_turn();
    await_turn(2);
  });
  await_turn(1);
  queue.close();
  queue.counts[1].popped = 4;
  const bool empty = queue.items.empty();
  end_turn();
  thread.join();
  count_ticks();
  return empty ? 1 : 0;
}
