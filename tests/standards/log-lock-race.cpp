// Two threads log under the logger's mutex, and share a limit under none. As they come here, the first has logged
// before the second does, and the logger's mutex happens to order them; had the second come first, nothing would
// ([thread.mutex.requirements.mutex], [intro.races]). So the race is predicted, not observed.
// RUN: %check %s

#include <mutex>

#include "order.h"

std::mutex log_mutex;
int lines_logged;
int limit;
int seen;

static void log_line() {
  std::lock_guard lock(log_mutex);
  lines_logged++;
}

static void sets() {
  {
    limit = 10;  // RACE: predicted limit
  }
  log_line();
  end_turn();
}

static void uses() {
  await_turn(1);
  log_line();
  seen = limit;  // RACE: predicted limit
}

int main() {
  run_two(sets, uses);
  return lines_logged != 2;
}
