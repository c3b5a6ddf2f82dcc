// The same schedule finds its memory at the same places, and the same numbers, whatever the threads allocate.
// RUN: %norn-c++ %s -o %t && %replays 3 %t
// RUN: cp %t.output %t.first && %replays 3 %t && cmp %t.first %t.output

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <random>
#include <sys/random.h>
#include <thread>
#include <vector>

static std::mutex mutex;

static unsigned from_device() {
  unsigned random = 0;
  const int device = open("/dev/urandom", O_RDONLY);
  if (read(device, &random, sizeof(random)) != sizeof(random)) abort();
  close(device);
  return random;
}

static unsigned from_stream() {
  unsigned random = 0;
  std::FILE* device = std::fopen("/dev/random", "r");
  std::setvbuf(device, nullptr, _IONBF, 0);
  if (std::fread(&random, sizeof(random), 1, device) != 1) abort();
  std::fclose(device);
  return random;
}

static void works(int number) {
  for (int i = 0; i < 5; ++i) {
    auto* block = new char[static_cast<size_t>(10 + 30 * i)];
    unsigned random = 0;
    if (getrandom(&random, sizeof(random), 0) != sizeof(random)) abort();
    const std::lock_guard lock(mutex);
    std::printf("%d: %p %u %u %u %u %ld\n", number, static_cast<void*>(block), random, std::random_device()(),
                from_device(), from_stream(), std::time(nullptr));
    if (i % 2 == 0) delete[] block;
  }
}

int main() {
  std::vector<std::thread> threads;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 4; ++i) threads.emplace_back(works, i);
    for (auto& thread : threads) thread.join();
    threads.clear();
  }
}
