// The value of an optional that is taken while another thread resets it: asked, and then thrown at.
#include <stdexcept>

#include "threads.h"

struct Session {
  volatile bool has_user = true;
  int user = 5;
  int get() const {
    // RACE reset get: spec-violated exception|abort: reset right behind the question
    bool is_there = has_user;  // @get
    if (!is_there) throw std::runtime_error("nobody is logged in");
    return user;
  }
};
static Session session;
static int seen;

static void* asks(void*) {
  // RACE reset ask: spec-violated exception|abort: reset right behind the question
  bool is_there = session.has_user;  // @ask
  sched_yield();
  if (is_there) seen = session.get();
  return nullptr;
}

static void* resets(void*) {
  later();
  session.has_user = false;  // @reset
  return nullptr;
}

int main() {
  run_both(asks, resets);
  printf("done\n");
}
