// A global object starts a thread in its constructor. What the thread reads is defined after that object, so it is
// initialised when the thread runs already ([basic.start.dynamic]): nothing orders the initialisation and the read
// ([intro.races]).
// RUN: %check %s

#include <cstdlib>
#include <thread>

extern int limit;
int seen;

[[gnu::noinline]] static int limit_wanted() {
  const char* text = std::getenv("POOL_LIMIT");
  return text != nullptr ? std::atoi(text) : 8;
}

static void works() {
  seen = limit;  // RACE: observed limit
}

struct Pool {
  Pool() : thread(works) {}
  std::thread thread;
};

Pool pool;
int limit = limit_wanted();  // RACE: observed limit

int main() {
  pool.thread.join();
  return seen < 0;
}
