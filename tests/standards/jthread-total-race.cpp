// A worker counts until it is asked to stop; the count is read as soon as request_stop has returned, as if that waited
// for the thread. request_stop synchronizes with the stop_requested that sees it ([thread.stoptoken.intro]): from the
// asking thread to the worker and not back, so what the worker wrote is not ordered before the read ([intro.races]).
// RUN: %check %s

#include <stop_token>
#include <thread>

long processed;
long taken;

static void works(std::stop_token token) {
  do {
    processed++;  // RACE: observed processed
    std::this_thread::yield();
  } while (!token.stop_requested());
}

int main() {
  std::jthread worker(works);
  worker.request_stop();
  taken = processed;  // RACE: observed processed
  return taken < 0;
}
