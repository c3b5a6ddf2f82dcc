// arrive() and wait() of a barrier apart: what a thread does between them is done while others still work in the phase.
// Both threads keep to data of their own there. What comes before arrive happens before the phase's wait returns
// ([thread.barrier.class]).
// RUN: %check %s
// NORACE

#include <barrier>
#include <thread>

std::barrier phase(2);
int halves[2];
int spare[2];

static void work(int own, int* seen) {
  halves[own] = own + 1;
  auto token = phase.arrive();
  spare[own] = 1;
  phase.wait(std::move(token));
  *seen = halves[1 - own];
}

int main() {
  int seen[2];
  std::thread left(work, 0, &seen[0]);
  std::thread right(work, 1, &seen[1]);
  left.join();
  right.join();
  return seen[0] + seen[1] + spare[0] > 10;
}
