// A cache is asked under its lock and filled under its lock, but not in one: the same key gets two identities.
// BUG: kind=check-then-act preemptions=1 threads=3 shows=status finding=none
// RUN: %show %s
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bug.h"

namespace {

std::mutex mutex;
std::map<std::string, int> cache;
int next_identity = 1;

int identity(const std::string& name, int self) {
  {
    std::lock_guard<std::mutex> guard(mutex);
    auto known = cache.find(name);
    if (known != cache.end()) return known->second;
  }
  if (self == 0) step(0), step(3);
  std::lock_guard<std::mutex> guard(mutex);
  return cache[name] = next_identity++;
}

}  // namespace

int main() {
  int got[3];
  std::vector<std::thread> askers;
  for (int i = 0; i < 3; ++i)
    askers.emplace_back([i, &got] {
      if (i == 2) after_step(4);
      if (i == 1) step(1);
      got[i] = identity("norn", i);
      if (i == 1) step(2);
    });
  for (std::thread& asker : askers) asker.join();
  return got[0] == got[1] && got[1] == got[2] ? 0 : 3;
}
