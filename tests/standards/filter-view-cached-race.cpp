// Two threads walk over the even numbers of one vector by one filter_view. begin() of a filter_view is no const
// function and keeps where the first element is ([range.filter.view]: "caches the result"): the first walk of each
// thread may write what the other reads ([res.on.data.races]).
// RUN: %check %s

#include <ranges>
#include <thread>
#include <vector>

const std::vector<int> numbers = {1, 2, 3, 4, 5, 6};
auto evens = numbers | std::views::filter([](int n) { return n % 2 == 0; });
int sums[2];

static void sums_up(int self) {
  for (int n : evens) sums[self] += n;  // RACE: observed <evens>
}

int main() {
  std::thread a(sums_up, 0);
  std::thread b(sums_up, 1);
  a.join();
  b.join();
  return sums[0] > 12 || sums[1] > 12;
}
