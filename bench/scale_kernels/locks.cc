// SIZE records (default 10), each with a mutex of its own; the same number of short critical sections on records chosen
// at random, however many there are.
#include <deque>
#include <mutex>

#include "kernel.h"

namespace {

constexpr int kChunk = 1000;

struct Record {
  std::mutex mutex;
  uint64_t changes = 0;
  uint64_t sum = 0;
};

uint64_t run(const kernel::Arguments& arguments) {
  const auto count = static_cast<uint64_t>(arguments.size == 0 ? 10 : arguments.size);
  const int chunks = arguments.rounds(20000);
  std::deque<Record> records(count);
  kernel::on_threads(arguments.threads, [&](int index) {
    const int end = kernel::share(chunks, index + 1, arguments.threads);
    for (int chunk = kernel::share(chunks, index, arguments.threads); chunk < end; ++chunk) {
      kernel::Random random(static_cast<uint64_t>(chunk));
      for (int i = 0; i < kChunk; ++i) {
        Record& record = records[random.below(count)];
        const std::lock_guard guard(record.mutex);
        ++record.changes;
        record.sum += static_cast<uint64_t>(i);
      }
    }
  });
  uint64_t changes = 0;
  uint64_t checksum = 0;
  for (const Record& record : records) {
    changes += record.changes;
    checksum = kernel::mix(checksum + record.sum);
  }
  kernel::check(changes == static_cast<uint64_t>(chunks) * kChunk, "no change is lost");
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("locks", argc, argv, run); }
