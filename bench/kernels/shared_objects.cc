// A board of immutable objects held by std::shared_ptr: readers take a copy of the pointer under a mutex and use the
// object outside it, writers replace it. The last owner, whoever that is, destroys the object.
#include <array>
#include <memory>
#include <mutex>

#include "kernel.h"

namespace {

constexpr int kPlaces = 64;
constexpr int kChunk = 512;

struct Poster {
  std::vector<uint32_t> words;
  uint32_t sum = 0;

  explicit Poster(uint64_t seed) : words(48) {
    kernel::Random random(seed);
    for (uint32_t& word : words) sum += word = static_cast<uint32_t>(random.next());
  }
  [[nodiscard]] bool is_whole() const {
    uint32_t rest = sum;
    for (const uint32_t word : words) rest -= word;
    return rest == 0;
  }
};

class Board {
 public:
  Board() {
    for (auto& place : places_) place.poster = std::make_shared<const Poster>(0);
  }
  std::shared_ptr<const Poster> at(uint64_t index) {
    const std::lock_guard guard(places_[index].mutex);
    return places_[index].poster;
  }
  void put(uint64_t index, std::shared_ptr<const Poster> poster) {
    const std::lock_guard guard(places_[index].mutex);
    places_[index].poster.swap(poster);
    ++places_[index].changes;
  }
  [[nodiscard]] uint64_t changes(uint64_t index) const { return places_[index].changes; }

 private:
  struct Place {
    std::mutex mutex;
    std::shared_ptr<const Poster> poster;
    uint64_t changes = 0;
  };
  std::array<Place, kPlaces> places_;
};

uint64_t run(const kernel::Arguments& arguments) {
  const int chunks = arguments.rounds(120000);
  Board board;
  kernel::on_threads(arguments.threads, [&](int index) {
    bool whole = true;
    const int end = kernel::share(chunks, index + 1, arguments.threads);
    for (int chunk = kernel::share(chunks, index, arguments.threads); chunk < end; ++chunk) {
      kernel::Random random(static_cast<uint64_t>(chunk));
      for (int i = 0; i < kChunk; ++i) {
        const uint64_t place = random.below(kPlaces);
        if (i % 16 == 0) {
          board.put(place, std::make_shared<const Poster>(random.next()));
        } else {
          whole &= board.at(place)->is_whole();
        }
      }
    }
    kernel::check(whole, "a poster is never half-written");
  });
  uint64_t changes = 0;
  uint64_t checksum = 0;
  for (uint64_t place = 0; place < kPlaces; ++place) {
    changes += board.changes(place);
    checksum = kernel::mix(checksum + board.changes(place));
  }
  kernel::check(changes == static_cast<uint64_t>(chunks) * (kChunk / 16), "every change is counted");
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("shared_objects", argc, argv, run); }
