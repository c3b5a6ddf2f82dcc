// Control passes from copy to copy in the middle of loops: all values come along, whatever leaves the loop, and how.
// STDOUT: 2373292662 330 -40 1113
// NORACE

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

uint32_t mixed[2];
int thrown[2];
int depth_left[2];
int switched[2];

uint32_t mix(std::vector<uint32_t>& cells, int rounds) {
  uint32_t a = 1, b = 2, c = 3;
  for (int round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < cells.size(); ++i) {
      a = a * 31 + cells[i];
      if (a % 7 == 0) continue;
      for (size_t j = i; j < cells.size() && j < i + 5; ++j) {
        b ^= a + cells[j];
        cells[j] += b;
        if (b % 1001 == 0) goto out;
      }
      c += b;
    }
    cells[static_cast<size_t>(round) % cells.size()] ^= c;
  out:
    b += static_cast<uint32_t>(round);
  }
  return a ^ b ^ c;
}

int throwing(std::vector<int>& cells) {
  int caught = 0;
  for (int i = 0; i < 1000; ++i) {
    try {
      cells[0] += i;
      if (i % 3 == 0) cells.at(static_cast<size_t>(i));
    } catch (const std::out_of_range&) {
      ++caught;
      cells[1] = i;
    }
  }
  return caught;
}

int leave_two(std::vector<int>& cells) {
  int steps = 0;
  for (int i = 0; i < 200; ++i) {
    for (int j = 0; j < 200; ++j) {
      cells[2] += ++steps % 2;
      if (i * j > 20000) return i + j - 340 + cells[2] % 1;
    }
  }
  return -1;
}

int choose(std::vector<int>& cells) {
  int state = 0;
  int steps = 0;
  while (state != 4) {
    cells[3] = ++steps;
    switch (state) {
      case 0:
      case 1:
        state = steps % 11 == 0 ? 2 : 1;
        break;
      case 2:
        state = steps > 1111 ? 3 : 0;
        break;
      default:
        state = 4;
    }
  }
  return steps;
}

void work(int self) {
  std::vector<uint32_t> cells(37, 5);
  std::vector<int> numbers(10);
  mixed[self] = mix(cells, 500);
  thrown[self] = throwing(numbers);
  depth_left[self] = leave_two(numbers);
  switched[self] = choose(numbers);
}

}  // namespace

int main() {
  std::thread first(work, 0);
  std::thread second(work, 1);
  first.join();
  second.join();
  if (mixed[0] != mixed[1] || thrown[0] != thrown[1]) std::puts("the threads differ");
  std::printf("%u %d %d %d\n", mixed[0], thrown[0], depth_left[0], switched[0]);
}
