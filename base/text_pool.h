// Memory for the texts of one report. Freestanding.
#pragma once

#include "base/text.h"

namespace norn {

class TextPool {
 public:
  constexpr TextPool(char* bytes, size_t capacity) : bytes_(bytes), capacity_(capacity) {}
  void clear() { size_ = 0; }
  // A copy; empty if there is no room.
  Text keep(Text text) {
    if (text.size >= room()) return {};
    for (size_t i = 0; i < text.size; ++i) bytes_[size_ + i] = text[i];
    const Text kept(bytes_ + size_, text.size);
    size_ += text.size;
    return kept;
  }
  // The free part: write there, then take what was used.
  [[nodiscard]] char* bytes() { return bytes_ + size_; }
  [[nodiscard]] size_t room() const { return capacity_ - size_; }
  void take(size_t count) { size_ += count; }

 private:
  char* bytes_;
  size_t capacity_;
  size_t size_ = 0;
};

}  // namespace norn
