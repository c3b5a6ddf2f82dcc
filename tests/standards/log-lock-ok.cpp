// Two threads log under the logger's mutex, and share a limit under a mutex of its own
// ([thread.mutex.requirements.mutex]).
// NORACE
// RUN: %check %s

#include <mutex>

#include "order.h"

std::mutex log_mutex;
std::mutex limit_mutex;
int lines_logged;
int limit;
int seen;

static void log_line() {
  std::lock_guard lock(log_mutex);
  lines_logged++;
}

static void sets() {
  {
    std::lock_guard lock(limit_mutex);
    limit = 10;
  }
  log_line();
  end_turn();
}

static void uses() {
  await_turn(1);
  log_line();
  std::lock_guard lock(limit_mutex);
  seen = limit;
}

int main() {
  run_two(sets, uses);
  return lines_logged != 2;
}
