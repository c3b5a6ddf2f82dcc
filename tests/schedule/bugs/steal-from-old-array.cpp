// A work-stealing deque grows while a thief is about to read: the thief has read the array before the index, and takes
// its job from the old array, where the owner has put nothing new.
// After the bug of a published C11 Chase-Lev deque that CDSChecker found (Norris and Demsky, OOPSLA 2013, section 6.4):
// a steal that reads an element that was never written.
// BUG: kind=order preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

std::atomic<int> small[2], large[4];
struct Array {
  std::atomic<int>* jobs;
  int size;
} first = {small, 2}, second = {large, 4};
std::atomic<Array*> array{&first};
std::atomic<int> top{0}, bottom{0};

void push(int job) {
  const int last = bottom.load();
  Array* jobs = array.load();
  if (last >= jobs->size) {
    for (int i = top.load(); i < last; ++i) second.jobs[i].store(jobs->jobs[i].load());
    jobs = &second;
    array.store(jobs);
  }
  jobs->jobs[last % jobs->size].store(job);
  bottom.store(last + 1);
}

void own() {
  step(1);
  for (int job = 1; job <= 3; ++job) push(job);
  top.store(2);  // it takes two from the other end, as one that empties it quickly
  step(2);
}

void steal() {
  Array* jobs = array.load();
  step(0);
  step(3);
  const int at = top.load();
  if (at < bottom.load()) assert(jobs->jobs[at % jobs->size].load() == at + 1);
}

}  // namespace

int main() {
  std::thread owner(own), thief(steal);
  owner.join();
  thief.join();
}
