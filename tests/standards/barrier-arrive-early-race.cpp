// A thread arrives at a barrier and then, before it waits, writes what its neighbour reads after the phase. Only what
// comes before arrive() happens before the phase completes ([thread.barrier.class]); what comes between arrive() and
// wait() does not, and races.
// RUN: %check %s

#include <barrier>
#include <thread>

std::barrier phase(2);
int halves[2];
int spare[2];

static void work(int own, int* seen) {
  spare[own] = own + 1;
  auto token = phase.arrive();
  halves[own] = own + 1;  // RACE: observed halves
  phase.wait(std::move(token));
  *seen = halves[1 - own];  // RACE: observed halves
}

int main() {
  int seen[2];
  std::thread left(work, 0, &seen[0]);
  std::thread right(work, 1, &seen[1]);
  left.join();
  right.join();
  return seen[0] + seen[1] + spare[0] > 10;
}
