// In the manner of a compressor's match finder (xz -T2): threads that share nothing, each with a buffer, a hash table
// and a mutex of its own, which is never contended and is taken every SIZE bytes (default 1024) to tell the progress.
// Bytes are read one by one, and again by words that are not aligned.
#include <cstring>
#include <mutex>

#include "kernel.h"

namespace {

constexpr uint32_t kBytes = 300 * 1024;
constexpr uint32_t kSlots = 1 << 16;
constexpr uint32_t kLongest = 16;  // match

class Finder {
 public:
  explicit Finder(uint64_t seed) : bytes_(kBytes + kLongest), slots_(kSlots) {
    kernel::Random random(seed);
    for (uint8_t& byte : bytes_) byte = random.next() & 7;
  }

  uint64_t pass(uint32_t every) {
    uint64_t sum = 0;
    const uint8_t* bytes = bytes_.data();
    uint32_t* slots = slots_.data();
    for (uint32_t i = 0; i < kBytes; ++i) {
      if (i % every == 0) {
        const std::lock_guard guard(mutex_);
        ++progress_;
      }
      const uint32_t hash = (bytes[i] | bytes[i + 1] << 4 | bytes[i + 2] << 8 | bytes[i + 3] << 12) & (kSlots - 1);
      const uint32_t match = slots[hash];
      slots[hash] = i;
      uint32_t length = 0;
      while (length < kLongest && i + length < kBytes && bytes[match + length] == bytes[i + length]) ++length;
      uint64_t here;
      uint64_t there;
      std::memcpy(&here, bytes + i, 8);
      std::memcpy(&there, bytes + match, 8);
      sum += length + (here == there ? 1 : 0);
    }
    return sum;
  }

 private:
  std::vector<uint8_t> bytes_;
  std::vector<uint32_t> slots_;
  std::mutex mutex_;
  int progress_ = 0;
};

uint64_t run(const kernel::Arguments& arguments) {
  const auto every = static_cast<uint32_t>(arguments.size == 0 ? 1024 : arguments.size);
  const int passes = arguments.rounds(120);
  std::vector<uint64_t> sums(static_cast<size_t>(passes));
  kernel::on_threads(arguments.threads, [&](int thread) {
    Finder finder(static_cast<uint64_t>(thread));
    const int end = kernel::share(passes, thread + 1, arguments.threads);
    for (int pass = kernel::share(passes, thread, arguments.threads); pass < end; ++pass) {
      sums[static_cast<size_t>(pass)] = finder.pass(every);
    }
  });
  uint64_t checksum = 0;
  for (const uint64_t sum : sums) checksum = kernel::mix(checksum + sum);
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("match_finder", argc, argv, run); }
