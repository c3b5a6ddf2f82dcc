// Every thread has an inbox that all may fill and only it empties: a bounded queue on std::atomic with a turn number in
// each cell (after Vyukov's bounded queue). The messages are plain data, ordered by release and acquire alone.
#include <array>
#include <atomic>
#include <deque>

#include "kernel.h"

namespace {

constexpr int kActors = 64;  // senders of the same messages, however many threads play them
constexpr int kBurst = 64;

struct Message {
  uint64_t number = 0;
  std::array<uint64_t, 6> payload{};
};

class Inbox {
 public:
  Inbox() {
    for (size_t i = 0; i < kCells; ++i) cells_[i].turn.store(i, std::memory_order_relaxed);
  }

  bool try_push(const Message& message) {
    size_t position = tail_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[position % kCells];
      const size_t turn = cell.turn.load(std::memory_order_acquire);
      if (turn == position) {
        if (tail_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
          cell.message = message;
          cell.turn.store(position + 1, std::memory_order_release);
          return true;
        }
      } else if (turn < position) {
        return false;  // full
      } else {
        position = tail_.load(std::memory_order_relaxed);
      }
    }
  }

  bool try_pop(Message& message) {
    Cell& cell = cells_[head_ % kCells];
    if (cell.turn.load(std::memory_order_acquire) != head_ + 1) return false;
    message = cell.message;
    cell.turn.store(head_ + kCells, std::memory_order_release);
    ++head_;
    return true;
  }

 private:
  static constexpr size_t kCells = 256;
  struct Cell {
    std::atomic<size_t> turn;
    Message message;
  };
  std::array<Cell, kCells> cells_;
  alignas(64) std::atomic<size_t> tail_ = 0;
  alignas(64) size_t head_ = 0;  // only the owner's
};

Message compose(uint64_t number) {
  Message message{number, {}};
  for (uint64_t& word : message.payload) word = number = number * 6364136223846793005u + 1442695040888963407u;
  return message;
}

uint64_t digest(const Message& message) {
  uint64_t sum = message.number;
  for (const uint64_t word : message.payload) sum = sum * 31 + word;
  return sum;
}

uint64_t run(const kernel::Arguments& arguments) {
  const int bursts = arguments.rounds(18000);
  std::deque<Inbox> inboxes(static_cast<size_t>(arguments.threads));
  std::atomic<int> left = kActors * bursts * kBurst;
  std::atomic<uint64_t> checksum = 0;
  kernel::on_threads(arguments.threads, [&](int index) {
    Inbox& own = inboxes[static_cast<size_t>(index)];
    uint64_t sum = 0;
    Message message;
    const auto drain = [&] {
      int got = 0;
      for (; own.try_pop(message); ++got) sum += digest(message);
      if (got > 0) left.fetch_sub(got, std::memory_order_relaxed);
      return got > 0;
    };
    const int end = kernel::share(kActors, index + 1, arguments.threads);
    for (int burst = 0; burst < bursts; ++burst) {
      for (int actor = kernel::share(kActors, index, arguments.threads); actor < end; ++actor) {
        for (int i = 0; i < kBurst; ++i) {
          const auto number = static_cast<uint64_t>((actor * bursts + burst) * kBurst + i);
          Inbox& to = inboxes[number % inboxes.size()];
          while (!to.try_push(compose(number))) {
            if (!drain()) std::this_thread::yield();
          }
        }
        drain();
      }
    }
    while (left.load(std::memory_order_relaxed) > 0) {
      if (!drain()) std::this_thread::yield();
    }
    checksum.fetch_add(sum, std::memory_order_relaxed);
  });
  kernel::check(left.load() == 0, "every message is received once");
  return checksum.load();
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("mpsc_queue", argc, argv, run); }
