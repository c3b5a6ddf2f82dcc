// The second round waits for the latch of the first. Its counter is zero already and a latch is of single use
// ([thread.latch]), so that wait returns at once: only what came before the last count_down of the first round happens
// before it ([thread.latch.class]), and reading the second round's products races with their being written.
// RUN: %check %s

#include <latch>
#include <thread>

std::latch first(1);
int drafts[4];
int products[4];

static void work() {
  for (int i = 0; i < 4; i++) drafts[i] = i;
  first.count_down();
  for (int i = 0; i < 4; i++) products[i] = drafts[i] * drafts[i];  // RACE: observed products
}

int main() {
  int sum = 0;
  std::thread worker(work);
  first.wait();
  for (int draft : drafts) sum += draft;
  first.wait();
  for (int i = 0; i < 4; i++) sum += products[i];  // RACE: observed products
  worker.join();
  return sum < 6;
}
