// A place in a section of debug information, and what can be read from there on. What lies beyond its end reads as
// zero. Freestanding.
#pragma once

#include "runtime/debug_info/elf_file.h"

namespace norn::debug_info {

class Cursor {
 public:
  constexpr Cursor() = default;
  Cursor(Section section, uint64_t offset)
      : begin_(section.data), at_(section.data), end_(section.data + section.size) {
    skip(offset);
  }

  [[nodiscard]] bool at_end() const { return at_ == end_; }
  [[nodiscard]] uint64_t offset() const { return static_cast<uint64_t>(at_ - begin_); }
  // Nothing is read from there on.
  void end_at(uint64_t offset) {
    if (offset < static_cast<uint64_t>(end_ - begin_)) end_ = begin_ + offset;
    if (at_ > end_) at_ = end_;
  }
  void skip(uint64_t count) {
    at_ += count < static_cast<uint64_t>(end_ - at_) ? count : static_cast<uint64_t>(end_ - at_);
  }

  // So many bytes, at most eight, the lowest first.
  uint64_t number(unsigned bytes) {
    if (static_cast<uint64_t>(end_ - at_) < bytes) {
      at_ = end_;
      return 0;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= uint64_t{at_[i]} << 8 * i;
    at_ += bytes;
    return value;
  }
  uint64_t u8() { return number(1); }
  uint64_t u16() { return number(2); }
  uint64_t u32() { return number(4); }
  uint64_t u64() { return number(8); }
  // The variable-length forms of DWARF, 7.6.
  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0; !at_end(); shift += 7) {
      const uint64_t byte = u8();
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) break;
    }
    return value;
  }
  int64_t sleb() {
    uint64_t value = 0;
    for (unsigned shift = 0; !at_end();) {
      const uint64_t byte = u8();
      if (shift < 64) value |= (byte & 0x7f) << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift < 64) value |= ~uint64_t{0} << shift;
      break;
    }
    return static_cast<int64_t>(value);
  }
  // Up to a zero byte.
  Text text() {
    const uint8_t* from = at_;
    while (at_ != end_ && *at_ != 0) ++at_;
    if (at_ == end_) return {};
    const Text found(reinterpret_cast<const char*>(from), static_cast<size_t>(at_ - from));
    ++at_;
    return found;
  }

 private:
  const uint8_t* begin_ = nullptr;
  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
};

}  // namespace norn::debug_info
