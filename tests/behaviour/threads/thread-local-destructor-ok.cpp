// The destructor of a thread-local object runs before who joins the thread.
// NORACE
// RUN: %check %s

#include <thread>

int x;
struct Counts {
  ~Counts() { x += uses; }
  int uses = 0;
};
thread_local Counts counts;

int main() {
  for (int i = 0; i < 3; i++) std::thread([] { counts.uses++; }).join();
  return x != 3;
}
