// A global object starts a thread in its constructor. What the thread reads is defined before that object, so it was
// initialised before ([basic.start.dynamic]), and the thread's constructor synchronizes with its start
// ([thread.thread.constr]).
// NORACE
// RUN: %check %s

#include <cstdlib>
#include <thread>

extern int limit;
int seen;

[[gnu::noinline]] static int limit_wanted() {
  const char* text = std::getenv("POOL_LIMIT");
  return text != nullptr ? std::atoi(text) : 8;
}

static void works() { seen = limit; }

struct Pool {
  Pool() : thread(works) {}
  std::thread thread;
};

int limit = limit_wanted();
Pool pool;

int main() {
  pool.thread.join();
  return seen < 0;
}
