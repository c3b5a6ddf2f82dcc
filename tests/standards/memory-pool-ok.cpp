// Two threads fill vectors of their own out of one std::pmr::synchronized_pool_resource, which any number of threads
// may use without more ([mem.res.pool.overview]). What one gave back another may get.
// NORACE
// RUN: %check %s

#include <memory_resource>
#include <thread>
#include <vector>

std::pmr::synchronized_pool_resource pool;
int sums[2];

static void fill(int self) {
  for (int round = 0; round < 20; round++) {
    std::pmr::vector<int> numbers(&pool);
    for (int i = 0; i < 20; i++) numbers.push_back(i);
    sums[self] += numbers.back();
  }
}

int main() {
  std::thread a(fill, 0);
  std::thread b(fill, 1);
  a.join();
  b.join();
  return sums[0] + sums[1] != 2 * 20 * 19;
}
