// A ticket lock: the next number is called with relaxed order, as the ticket is drawn. The waiter's acquire load then
// reads no value of a release operation ([atomics.order]); the owners are apart in time, and not ordered
// ([intro.races]).
// RUN: %check %s

#include <atomic>
#include <thread>

class TicketLock {
 public:
  void lock() {
    unsigned own = next_.fetch_add(1, std::memory_order_relaxed);
    while (serving_.load(std::memory_order_acquire) != own) std::this_thread::yield();
  }

  void unlock() {
    unsigned own = serving_.load(std::memory_order_relaxed);
    serving_.store(own + 1, std::memory_order_relaxed);
  }

 private:
  std::atomic<unsigned> next_ = 0;
  std::atomic<unsigned> serving_ = 0;
};

TicketLock ticket_lock;
long tickets_sold;

static void sells() {
  for (int i = 0; i < 10; i++) {
    ticket_lock.lock();
    tickets_sold++;  // RACE: observed tickets_sold
    ticket_lock.unlock();
  }
}

int main() {
  std::thread a(sells);
  std::thread b(sells);
  a.join();
  b.join();
  return tickets_sold < 1;
}
