// A detached thread owns its share of the session and says by a promise that it has given it up. Making the state ready
// synchronizes with the return from wait ([futures.state]); the session ends in serve, after that.
// NORACE
// RUN: %check %s

#include <atomic>
#include <future>
#include <memory>
#include <thread>

long total_bytes;

struct Session {
  ~Session() { total_bytes += bytes; }
  long bytes = 0;
};

static void serve() {
  auto session = std::make_shared<Session>();
  std::promise<void> sent;
  std::future<void> done = sent.get_future();
  std::thread([session, sent = std::move(sent)]() mutable {
    session->bytes += 100;
    session.reset();
    sent.set_value();
  }).detach();
  done.wait();
}

int main() {
  serve();
  return total_bytes != 100;
}
