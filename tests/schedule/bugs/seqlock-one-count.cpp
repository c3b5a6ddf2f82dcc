// A sequence lock whose writer counts only after the change: a reader in the middle of it notices nothing.
// BUG: kind=atomicity-multi preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

std::atomic<unsigned> version{0};
std::atomic<int> hours{9}, minutes{59};

void tick() {
  minutes.store(0);
  step(0);
  step(3);
  hours.store(10);
  version.fetch_add(1);
}

void look() {
  step(1);
  int seen_hours, seen_minutes;
  unsigned before;
  do {
    before = version.load();
    seen_hours = hours.load();
    seen_minutes = minutes.load();
  } while (version.load() != before);
  assert(seen_hours * 60 + seen_minutes >= 9 * 60 + 59);
  step(2);
}

}  // namespace

int main() {
  std::thread clock(tick), reader(look);
  clock.join();
  reader.join();
}
