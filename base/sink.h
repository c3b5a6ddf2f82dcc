// Where rendered bytes go, and the few ways of putting numbers and text there without a library.
#pragma once

#include "base/text.h"

namespace norn {

// Renderers put small pieces, down to single characters: a sink that ends in write(2) should have a Buffer before it.
struct Sink {
  void (*write)(void* context, const char* data, size_t size) = nullptr;
  void* context = nullptr;

  void put(Text text) const {
    if (text.size > 0) write(context, text.data, text.size);
  }
  void put(char c) const { write(context, &c, 1); }
};

// A number in decimal; `grouped` puts a comma before every third digit: 1,998.
class Decimal {
 public:
  explicit constexpr Decimal(uint64_t value, bool grouped = false) {
    size_t digits = 0;
    do {
      if (grouped && digits > 0 && digits % 3 == 0) bytes_[--start_] = ',';
      bytes_[--start_] = static_cast<char>('0' + value % 10);
      value /= 10;
      ++digits;
    } while (value > 0);
  }
  [[nodiscard]] constexpr Text text() const { return {bytes_ + start_, sizeof(bytes_) - start_}; }

 private:
  char bytes_[28] = {};  // 20 digits and 6 commas are the longest
  size_t start_ = sizeof(bytes_);
};

// A number as 0x and lower-case hexadecimal digits.
class Hex {
 public:
  explicit constexpr Hex(uint64_t value) {
    do {
      bytes_[--start_] = "0123456789abcdef"[value % 16];
      value /= 16;
    } while (value > 0);
    bytes_[--start_] = 'x';
    bytes_[--start_] = '0';
  }
  [[nodiscard]] constexpr Text text() const { return {bytes_ + start_, sizeof(bytes_) - start_}; }

 private:
  char bytes_[20] = {};
  size_t start_ = sizeof(bytes_);
};

// A sink into memory that someone else owns. What does not fit is dropped and remembered as overflow: a line is then
// written whole or not at all.
class Buffer {
 public:
  Buffer(char* bytes, size_t capacity) : bytes_(bytes), capacity_(capacity) {}

  [[nodiscard]] Sink sink() { return {&Buffer::append, this}; }
  [[nodiscard]] Text text() const { return {bytes_, size_}; }
  [[nodiscard]] bool overflowed() const { return overflowed_; }
  void clear() { size_ = 0, overflowed_ = false; }

 private:
  static void append(void* context, const char* data, size_t size) {
    auto* self = static_cast<Buffer*>(context);
    if (size > self->capacity_ - self->size_) {
      size = self->capacity_ - self->size_;
      self->overflowed_ = true;
    }
    for (size_t i = 0; i < size; ++i) self->bytes_[self->size_ + i] = data[i];
    self->size_ += size;
  }

  char* bytes_;
  size_t capacity_;
  size_t size_ = 0;  // <= capacity_
  bool overflowed_ = false;
};

}  // namespace norn
