// A thief takes half of a victim's jobs: it counts them, and moves the index by as many later. The victim has emptied
// its deque in between and filled it again, so jobs that were done are done again and others never.
// After the work-stealing queue with which CHESS was shown (Musuvathi and Qadeer, "Iterative Context Bounding for
// Systematic Testing of Multithreaded Programs", PLDI 2007).
// BUG: kind=aba preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <array>
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

constexpr int kRoom = 4;
std::array<std::atomic<int>, kRoom> jobs = {0, 1, 0, 0};
std::array<std::atomic<int>, 8> done;
std::atomic<int> head{0}, tail{2};

void run(int job) { assert(done[job].fetch_add(1) == 0); }

void steal() {
  int first = head.load();
  if (tail.load() - first < 2) return;
  const int job = jobs[first % kRoom].load();
  step(0);
  step(3);
  if (head.compare_exchange_strong(first, first + 1)) run(job);
}

void own() {
  step(1);
  for (int rounds = 0; rounds < 2; ++rounds) {
    const int last = tail.load() - 1;
    if (last < head.load()) return;
    tail.store(last);
    run(jobs[last % kRoom].load());
  }
  for (int job = 2; job < 4; ++job) {  // it begins again at the front, since the deque is empty
    jobs[(job - 2) % kRoom].store(job);
    tail.store(job - 1);
  }
  step(2);
}

}  // namespace

int main() {
  std::thread thief(steal), owner(own);
  thief.join();
  owner.join();
}
