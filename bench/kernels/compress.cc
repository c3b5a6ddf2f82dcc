// Compresses and expands blocks of text (matches found by a hash table, after LZ77): each thread has its blocks, all
// read one text. Code that goes through memory byte by byte.
#include <array>
#include <cstring>

#include "kernel.h"

namespace {

constexpr size_t kBlock = 16384;
constexpr size_t kText = 1 << 18;
constexpr size_t kMinMatch = 4;
constexpr size_t kMaxMatch = 255;

using Bytes = std::vector<uint8_t>;

Bytes sample_text() {
  kernel::Random random(3);
  std::array<std::array<uint8_t, 8>, 128> phrases{};
  for (auto& phrase : phrases) {
    for (uint8_t& letter : phrase) letter = static_cast<uint8_t>('a' + random.below(26));
  }
  Bytes text;
  while (text.size() < kText) {
    const auto& phrase = phrases[random.below(phrases.size())];
    text.insert(text.end(), phrase.begin(), phrase.begin() + 2 + static_cast<long>(random.below(7)));
  }
  text.resize(kText);
  return text;
}

uint32_t hash_at(const uint8_t* at) {
  const uint32_t four = at[0] | at[1] << 8 | at[2] << 16 | static_cast<uint32_t>(at[3]) << 24;
  return four * 2654435761u >> 20;
}

// A token is either 0 and a byte, or a length and a distance of two bytes.
void compress(const uint8_t* text, Bytes& packed) {
  std::array<uint16_t, 4096> last{};  // where text with this hash stood last, plus one
  packed.clear();
  for (size_t at = 0; at < kBlock;) {
    size_t length = 0;
    size_t from = 0;
    if (at + kMinMatch <= kBlock) {
      uint16_t& place = last[hash_at(text + at)];
      if (place != 0) {
        from = place - 1u;
        while (length < kMaxMatch && at + length < kBlock && text[from + length] == text[at + length]) ++length;
      }
      place = static_cast<uint16_t>(at + 1);
    }
    if (length >= kMinMatch) {
      packed.push_back(static_cast<uint8_t>(length));
      packed.push_back(static_cast<uint8_t>((at - from) & 255));
      packed.push_back(static_cast<uint8_t>((at - from) >> 8));
      at += length;
    } else {
      packed.push_back(0);
      packed.push_back(text[at++]);
    }
  }
}

void expand(const Bytes& packed, Bytes& text) {
  text.clear();
  for (size_t i = 0; i < packed.size();) {
    if (packed[i] == 0) {
      text.push_back(packed[i + 1]);
      i += 2;
    } else {
      const size_t distance = packed[i + 1] | static_cast<size_t>(packed[i + 2]) << 8;
      for (size_t length = packed[i]; length > 0; --length) text.push_back(text[text.size() - distance]);
      i += 3;
    }
  }
}

uint64_t run(const kernel::Arguments& arguments) {
  const int blocks = arguments.rounds(8000);
  const Bytes text = sample_text();
  std::vector<uint64_t> sums(static_cast<size_t>(arguments.threads));
  kernel::on_threads(arguments.threads, [&](int index) {
    uint64_t sum = 0;
    Bytes packed;
    Bytes expanded;
    const int end = kernel::share(blocks, index + 1, arguments.threads);
    for (int block = kernel::share(blocks, index, arguments.threads); block < end; ++block) {
      const uint8_t* begin = text.data() + kernel::mix(static_cast<uint64_t>(block)) % (kText - kBlock);
      compress(begin, packed);
      expand(packed, expanded);
      kernel::check(expanded.size() == kBlock && std::memcmp(expanded.data(), begin, kBlock) == 0,
                    "a block expands to what it was");
      sum += kernel::mix(packed.size() + static_cast<uint64_t>(block));
    }
    sums[static_cast<size_t>(index)] = sum;
  });
  uint64_t checksum = 0;
  for (const uint64_t sum : sums) checksum += sum;
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("compress", argc, argv, run); }
