// Which descriptors of the program lead to somebody outside.
#pragma once

#include <stdint.h>

#include <atomic>

namespace norn::rt::inputs {

inline constexpr int kMostDescriptors = 16384;
inline constexpr uint32_t kMostStreams = 4096;
inline constexpr uint32_t kMostListeners = 64;

struct Descriptor {
  std::atomic<uint32_t> stream{0};    // its number; 0: none
  std::atomic<uint16_t> listener{0};  // one more than that of its listen(); 0: none
  // In a replay: a socket of another kind took the place of one of this kind; 0: none did.
  std::atomic<uint16_t> stands_for{0};
};

extern constinit Descriptor descriptors[kMostDescriptors];
extern constinit std::atomic<uint64_t> written[kMostStreams];  // by the program, to each stream
extern constinit std::atomic<uint64_t> written_to_all;
extern constinit std::atomic<uint32_t> listen_calls;

inline Descriptor* descriptor(int fd) { return fd >= 0 && fd < kMostDescriptors ? &descriptors[fd] : nullptr; }
inline uint32_t stream_of(int fd) {
  const Descriptor* known = descriptor(fd);
  return known == nullptr ? 0 : known->stream.load(std::memory_order_relaxed);
}

}  // namespace norn::rt::inputs
