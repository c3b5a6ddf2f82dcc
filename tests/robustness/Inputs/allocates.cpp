// Blocks of all kinds, by several threads at once, each its own. With an argument one is given away too early.
#include <stdlib.h>

#include <cstdio>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "order.h"

struct alignas(64) Line {
  int words[32];
};

static size_t uses_blocks() {
  std::map<int, std::string> map;
  for (int i = 0; i < 1000; i++) {
    map[i % 100] = std::string(i % 300, 'x');
    free(aligned_alloc(64, 128 * (1 + i % 8)));
    auto* numbers = static_cast<char*>(malloc(i + 1));
    numbers[i] = 1;
    numbers = static_cast<char*>(realloc(numbers, 2 * i + 1));
    numbers[2 * i] = 1;
    free(numbers);
    void* aligned = nullptr;
    if (posix_memalign(&aligned, 32, i + 1) == 0) static_cast<char*>(aligned)[i] = 1;
    free(aligned);
    auto line = std::make_unique<Line>();
    line->words[31] = i;
    auto array = std::make_unique<int[]>(i + 1);
    array[i] = i;
    delete new (std::nothrow) int(i);
  }
  return map.size();
}

int* given;
char* resized;

static void gives() {
  given = new int(1);
  resized = static_cast<char*>(malloc(8));
  end_turn();
  await_turn(2);
  delete given;
  resized = static_cast<char*>(realloc(resized, 4000));
  end_turn();
}

static void uses_too_late() {
  await_turn(1);
  *given = 2;
  resized[0] = 2;
  end_turn();
  await_turn(3);
  free(resized);
}

int main(int count, char**) {
  if (count > 1) {
    run_two(gives, uses_too_late);
    return 0;
  }
  std::vector<size_t> sizes(3);
  for (int round = 0; round < 2; round++) {
    std::vector<std::thread> threads;
    for (size_t& size : sizes) threads.emplace_back([&size] { size = uses_blocks(); });
    for (std::thread& thread : threads) thread.join();
  }
  std::printf("%zu\n", sizes[0] + sizes[1] + sizes[2]);
}
