// Two rounds of work, each with a latch of its own: a latch is of single use, its counter cannot be raised
// ([thread.latch]). What comes before count_down happens before wait returns ([thread.latch.class]).
// RUN: %check %s
// NORACE

#include <latch>
#include <thread>

std::latch first(1);
std::latch second(1);
int drafts[4];
int products[4];

static void work() {
  for (int i = 0; i < 4; i++) drafts[i] = i;
  first.count_down();
  for (int i = 0; i < 4; i++) products[i] = drafts[i] * drafts[i];
  second.count_down();
}

int main() {
  int sum = 0;
  std::thread worker(work);
  first.wait();
  for (int draft : drafts) sum += draft;
  second.wait();
  for (int i = 0; i < 4; i++) sum += products[i];
  worker.join();
  return sum < 6;
}
