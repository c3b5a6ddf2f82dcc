// A worker counts until it is asked to stop; the count is read after join. The end of a thread synchronizes with the
// return from the join that awaits it ([thread.jthread.mem]).
// NORACE
// RUN: %check %s

#include <stop_token>
#include <thread>

long processed;
long taken;

static void works(std::stop_token token) {
  do {
    processed++;
    std::this_thread::yield();
  } while (!token.stop_requested());
}

int main() {
  std::jthread worker(works);
  worker.request_stop();
  worker.join();
  taken = processed;
  return taken < 0;
}
