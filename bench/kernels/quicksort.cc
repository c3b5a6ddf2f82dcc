// Quicksort of one array: a thread keeps the larger part and gives the smaller one to a new thread, until as many run
// as were asked for.
#include <algorithm>

#include "kernel.h"

namespace {

constexpr int kNumbers = 200000;
constexpr int kSmall = 24;

void insertion_sort(uint32_t* first, uint32_t* last) {
  for (uint32_t* next = first + 1; next < last; ++next) {
    const uint32_t value = *next;
    uint32_t* hole = next;
    for (; hole > first && hole[-1] > value; --hole) *hole = hole[-1];
    *hole = value;
  }
}

// Hoare's partition around the median of three: [first, cut) ≤ [cut, last), neither empty.
uint32_t* partition(uint32_t* first, uint32_t* last) {
  const uint32_t a = *first;
  const uint32_t b = first[(last - first) / 2];
  const uint32_t c = last[-1];
  const uint32_t pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
  uint32_t* low = first - 1;
  uint32_t* high = last;
  for (;;) {
    do ++low;
    while (*low < pivot);
    do --high;
    while (*high > pivot);
    if (low >= high) return std::max(low, first + 1);
    std::swap(*low, *high);
  }
}

void sort(uint32_t* first, uint32_t* last, int threads) {
  while (last - first > kSmall) {
    uint32_t* const cut = partition(first, last);
    const bool left_is_smaller = cut - first < last - cut;
    uint32_t* const other_first = left_is_smaller ? first : cut;
    uint32_t* const other_last = left_is_smaller ? cut : last;
    (left_is_smaller ? first : last) = cut;
    if (threads > 1) {
      std::thread helper(sort, other_first, other_last, threads / 2);
      sort(first, last, threads - threads / 2);
      helper.join();
      return;
    }
    sort(other_first, other_last, 1);
  }
  insertion_sort(first, last);
}

uint64_t run(const kernel::Arguments& arguments) {
  const int rounds = arguments.rounds(96);
  uint64_t checksum = 0;
  std::vector<uint32_t> numbers(kNumbers);
  for (int round = 0; round < rounds; ++round) {
    kernel::Random random(static_cast<uint64_t>(round));
    uint64_t sum = 0;
    for (uint32_t& number : numbers) sum += number = static_cast<uint32_t>(random.next());
    sort(numbers.data(), numbers.data() + kNumbers, arguments.threads);
    for (int i = 0; i < kNumbers; ++i) {
      kernel::check(i == 0 || numbers[i - 1] <= numbers[i], "the numbers are sorted");
      sum -= numbers[i];
      checksum = checksum * 31 + numbers[i];
    }
    kernel::check(sum == 0, "the numbers are those there were before");
  }
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("quicksort", argc, argv, run); }
