// A reader announces the node that it has read, but does not look again whether it is still the current one: the writer
// looked for announcements before, and has taken the node back.
// After the check that Michael, "Hazard Pointers" (IEEE TPDS 2004), figure 2, asks for behind each announcement.
// BUG: kind=order preemptions=1 threads=2 shows=assertion finding=none
// RUN: %show %s
#include <atomic>
#include <thread>

#include "bug.h"

namespace {

struct Config {
  std::atomic<bool> alive{true};
};
Config configs[2];
std::atomic<Config*> current{&configs[0]};
std::atomic<Config*> announced{nullptr};

void look() {
  Config* config = current.load();
  step(0);
  step(3);
  announced.store(config);
  assert(config->alive.load());
  announced.store(nullptr);
}

void replace() {
  step(1);
  Config* old = current.exchange(&configs[1]);
  if (announced.load() != old) old->alive.store(false);
  step(2);
}

}  // namespace

int main() {
  std::thread reader(look), writer(replace);
  reader.join();
  writer.join();
}
