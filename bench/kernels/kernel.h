// What the kernels share: their arguments, their threads, and the one line they print.
//
//     KERNEL [THREADS [SCALE [SIZE]]]
//
// The total work grows with SCALE and is the same for any number of THREADS; at scale 1 it takes about a second of
// processor time without a detector, at scale 0 next to none. SIZE means what the kernel says, where it says so. The
// line printed is the kernel's name and a checksum that depends on SCALE and SIZE alone: not on the schedule, not on
// the number of threads, not on the tool. A kernel whose own check fails says so and ends with status 1.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

namespace kernel {

struct Arguments {
  int threads = 2;
  double scale = 1;
  long size = 0;  // 0: the kernel's own choice

  // How many of `rounds` (at scale 1) to do.
  [[nodiscard]] int rounds(int at_full_scale) const { return static_cast<int>(at_full_scale * scale + 0.5); }
};

// Where thread `index` of `threads` begins in `total` pieces of work; it ends where the next begins.
inline int share(int total, int index, int threads) {
  return static_cast<int>(static_cast<int64_t>(total) * index / threads);
}

// Calls `body(index)` on as many threads and waits for all.
template <typename Body>
void on_threads(int threads, Body body) {
  std::vector<std::thread> crew;
  crew.reserve(static_cast<size_t>(threads));
  for (int i = 0; i < threads; ++i) crew.emplace_back(body, i);
  for (std::thread& member : crew) member.join();
}

// SplitMix64 (Steele, Lea, Flood 2014): a stream of numbers for each seed, and a mixer.
constexpr uint64_t mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

class Random {
 public:
  explicit constexpr Random(uint64_t seed) : state_(mix(seed + 1)) {}
  constexpr uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }
  constexpr uint64_t below(uint64_t bound) { return (next() >> 32) * bound >> 32; }
  constexpr double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_;
};

inline void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong result: %s\n", what);
  std::exit(1);
}

template <typename Run>
int main(const char* name, int argc, char** argv, Run run) {
  Arguments arguments;
  if (argc > 1) arguments.threads = std::atoi(argv[1]);
  if (argc > 2) arguments.scale = std::atof(argv[2]);
  if (argc > 3) arguments.size = std::atol(argv[3]);
  if (arguments.threads < 1 || arguments.scale < 0 || arguments.size < 0) {
    std::fprintf(stderr, "usage: %s [THREADS [SCALE [SIZE]]]\n", name);
    return 2;
  }
  const uint64_t checksum = run(std::as_const(arguments));
  std::printf("%s %016llx\n", name, static_cast<unsigned long long>(checksum));
  return 0;
}

}  // namespace kernel
