// The last message of a worker is sent after it told that it is done; by then its session may be gone.
// BUG: kind=order preemptions=1 threads=2 shows=assertion finding=race:session
// FOUND-BY: race-directed
// RUN: %show %s
// RUN: %found %s
#include <atomic>
#include <memory>
#include <semaphore>
#include <thread>

#include "bug.h"

namespace {

struct Session {
  int messages = 0;
};

Session* session = new Session;
std::binary_semaphore done{0};

void work() {
  ++session->messages;
  done.release();
  step(1);
  assert(session != nullptr);
  ++session->messages;
}

}  // namespace

int main() {
  std::thread worker(work);
  done.acquire();
  delete session;
  session = nullptr;
  step(0);
  worker.join();
}
