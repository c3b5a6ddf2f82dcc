// A heap of SIZE megabytes (default 100) in blocks of 16 to 2048 bytes: filled, changed and freed, each block by
// another thread than the one that did the step before.
#include <memory>

#include "kernel.h"

namespace {

struct Block {
  std::unique_ptr<uint64_t[]> words;
  uint64_t count = 0;
};

uint64_t run(const kernel::Arguments& arguments) {
  const uint64_t wanted = static_cast<uint64_t>(arguments.size == 0 ? 100 : arguments.size) << 20;
  std::vector<Block> blocks;
  kernel::Random random(5);
  for (uint64_t bytes = 0; bytes < wanted;) {
    blocks.push_back({nullptr, 2 + random.below(255)});
    bytes += 8 * blocks.back().count;
  }
  const int threads = arguments.threads;
  const auto each = [&](int step, auto work) {
    kernel::on_threads(threads, [&](int index) {
      const auto first = static_cast<size_t>((index + step) % threads);
      for (size_t i = first; i < blocks.size(); i += static_cast<size_t>(threads)) work(i, blocks[i]);
    });
  };
  each(0, [](size_t i, Block& block) {
    block.words = std::make_unique_for_overwrite<uint64_t[]>(block.count);
    for (uint64_t j = 0; j < block.count; ++j) block.words[j] = i + j;
  });
  std::vector<uint64_t> sums(blocks.size());
  each(1, [&](size_t i, Block& block) {
    for (uint64_t j = 0; j < block.count; ++j) sums[i] += block.words[j] *= 3;
  });
  each(2, [&](size_t i, Block& block) {
    uint64_t sum = 0;
    for (uint64_t j = 0; j < block.count; ++j) sum += 3 * (i + j);
    kernel::check(sum == sums[i], "the sum of a block");
    block.words.reset();
  });
  uint64_t checksum = 0;
  for (const uint64_t sum : sums) checksum = checksum * 31 + sum;
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("heap", argc, argv, run); }
