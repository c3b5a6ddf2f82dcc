// Readers give way to waiting writers, but a writer that goes wakes only one thread: with a reader and a writer
// waiting, a woken reader gives way again and tells nobody.
// BUG: kind=lost-wakeup preemptions=1 threads=3 shows=hang finding=none
// RUN: %show %s
#include <condition_variable>
#include <mutex>
#include <thread>

#include "bug.h"

namespace {

std::mutex mutex;
std::condition_variable changed;
bool writing;
int waiting_writers;

void look() {
  after_step(1);
  std::unique_lock<std::mutex> guard(mutex);
  while (writing || waiting_writers > 0) {
    step(1);
    changed.wait(guard);
  }
}

void change(int self) {
  if (self == 1) after_step(2);
  std::unique_lock<std::mutex> guard(mutex);
  ++waiting_writers;
  while (writing) {
    step(2);
    changed.wait(guard);
  }
  --waiting_writers;
  writing = true;
  guard.unlock();
  if (self == 0) step(0), step(3);
  guard.lock();
  writing = false;
  changed.notify_one();
}

}  // namespace

int main() {
  std::thread first(change, 0), reader(look), second(change, 1);
  first.join();
  reader.join();
  second.join();
}
