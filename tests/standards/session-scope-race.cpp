// A detached thread uses a session on the stack of the function that started it, which believes a relaxed flag that the
// thread has done with it. Relaxed operations synchronize with nothing ([atomics.order]), so the destructor at the end
// of the scope is not ordered after the thread's write ([intro.races]).
// RUN: %check %s

#include <atomic>
#include <thread>

long total_bytes;

struct Session {
  ~Session() {
    total_bytes += bytes;  // RACE: observed session
  }
  long bytes = 0;
};

static void serve() {
  static std::atomic<bool> sent;
  Session session;
  std::thread([&session] {
    session.bytes += 100;  // RACE: observed session
    sent.store(true, std::memory_order_relaxed);
  }).detach();
  while (!sent.load(std::memory_order_relaxed)) std::this_thread::yield();
}

int main() {
  serve();
  return total_bytes != 100;
}
