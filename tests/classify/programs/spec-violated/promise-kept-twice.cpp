// Two threads ask whether the promise is kept, and both keep it.
#include <future>

#include "threads.h"

static std::promise<int> promise;
static volatile bool is_kept;

static void keep(int value) {
  // RACE ask tell: spec-violated exception|abort: both may ask before either tells
  bool before = is_kept;  // @ask
  if (before) return;
  sched_yield();
  // RACE tell tell: spec-violated exception|abort: two that tell have both asked too early
  is_kept = true;  // @tell
  promise.set_value(value);
}

static void* one(void*) {
  keep(1);
  return nullptr;
}

static void* other(void*) {
  later();
  keep(1);
  return nullptr;
}

int main() {
  run_both(one, other);
  printf("%d\n", promise.get_future().get());
}
