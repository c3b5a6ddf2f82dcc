// Reduced from LevelDB's db_bench: a thread works until all others are done, and looks under the lock whether they are.
// Who was done last used the state once more before it gave the lock up.
// NORACE
// RUN: %check %s

#include <mutex>

#include "order.h"

struct State {
  std::mutex mutex;
  int total = 2;
  int done = 0;
};

static State state;
static int last;
static long work;

static void finishes() {
  const std::lock_guard lock(state.mutex);
  state.done++;
  if (state.done >= state.total) last = 1;
}

static void polls() {
  for (;;) {
    {
      const std::lock_guard lock(state.mutex);
      if (state.done + 1 >= state.total) break;
    }
    work++;
  }
  finishes();
  state.total = 0;
}

int main() { run_two(finishes, polls); }
