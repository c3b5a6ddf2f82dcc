// A sorted table under a readers-writer lock, looked up often and changed rarely: one operation in 64 writes.
#include <algorithm>
#include <array>
#include <mutex>
#include <shared_mutex>

#include "kernel.h"

namespace {

constexpr uint64_t kRows = 4096;
constexpr int kChunk = 1024;
constexpr int kWriteEvery = 64;

struct Row {
  uint64_t key = 0;
  std::array<uint64_t, 4> fields{};  // a writer raises all by the same amount
};

class Table {
 public:
  Table() {
    for (uint64_t i = 0; i < kRows; ++i) rows_.push_back({i * 3, {i, i, i, i}});
  }

  // What all fields of the row have raised, or nothing where they differ.
  uint64_t look_up(uint64_t key, bool& even) {
    const std::shared_lock guard(lock_);
    const Row& row = *find(key);
    for (const uint64_t field : row.fields) even &= field == row.fields[0];
    return row.key;
  }

  void raise(uint64_t key, uint64_t amount) {
    const std::unique_lock guard(lock_);
    for (uint64_t& field : find(key)->fields) field += amount;
  }

  // Only while no other thread uses the table.
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row>::iterator find(uint64_t key) {
    return std::ranges::lower_bound(rows_, key, {}, [](const Row& row) { return row.key; });
  }

  std::shared_mutex lock_;
  std::vector<Row> rows_;
};

uint64_t run(const kernel::Arguments& arguments) {
  const int chunks = arguments.rounds(14500);
  Table table;
  std::vector<uint64_t> sums(static_cast<size_t>(arguments.threads));
  kernel::on_threads(arguments.threads, [&](int index) {
    uint64_t sum = 0;
    bool even = true;
    const int end = kernel::share(chunks, index + 1, arguments.threads);
    for (int chunk = kernel::share(chunks, index, arguments.threads); chunk < end; ++chunk) {
      kernel::Random random(static_cast<uint64_t>(chunk));
      for (int i = 0; i < kChunk; ++i) {
        const uint64_t key = random.below(kRows) * 3;
        if (i % kWriteEvery == 0) {
          table.raise(key, 1);
        } else {
          sum += table.look_up(key, even);
        }
      }
    }
    kernel::check(even, "a reader sees no half-written row");
    sums[static_cast<size_t>(index)] = sum;
  });
  uint64_t raised = 0;
  uint64_t checksum = 0;
  for (uint64_t i = 0; i < kRows; ++i) {
    raised += table.rows()[i].fields[3] - i;
    checksum = kernel::mix(checksum + table.rows()[i].fields[3]);
  }
  kernel::check(raised == static_cast<uint64_t>(chunks) * (kChunk / kWriteEvery), "every change is in the table");
  for (const uint64_t sum : sums) checksum += sum;
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("rwlock_table", argc, argv, run); }
